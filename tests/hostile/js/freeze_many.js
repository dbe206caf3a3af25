(function(){ var a=[]; for(var i=0;i<60000;i++) a.push(i); for(;;) Object.freeze(a.slice()); })()
