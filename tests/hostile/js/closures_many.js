(function(){ var f=[]; for(;;) f.push(function(){ return f; }); })()
