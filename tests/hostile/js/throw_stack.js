(function(){ var e=new Error("x"); Object.defineProperty(e, "stack", {get(){ while(true){} }}); throw e; })()
