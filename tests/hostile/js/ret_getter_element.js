(function(){ var a=[invokers[0]]; Object.defineProperty(a,1,{get(){ while(true){} }}); return a; })()
