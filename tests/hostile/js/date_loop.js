(function(){ for(;;) new Date().toString(); })()
