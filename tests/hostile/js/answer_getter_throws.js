(function(){ var a=[]; Object.defineProperty(a, 0, {get(){ throw 1; }}); return a; })()
