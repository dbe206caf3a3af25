(function(){ var a=[]; Object.defineProperty(a, 0, {get(){ while(true){} }}); return a; })()
