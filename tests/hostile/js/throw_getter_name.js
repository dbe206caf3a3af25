(function(){ var e=new Error('m'); Object.defineProperty(e,'message',{get(){ while(true){} }}); throw e; })()
