(function(){ var a=[]; for(let i=0;i<60000;i++) a.push(invokers[0]); return a.concat(a,a,a,a); })()
