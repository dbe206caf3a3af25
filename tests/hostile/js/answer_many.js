(function(){ var a=[]; for(var i=0;i<900000;i++) a.push(invokers[0]); return a; })()
