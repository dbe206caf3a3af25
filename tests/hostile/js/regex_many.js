(function(){ for(;;) new RegExp("(a|b|c|d)*x{1,200}" + Math.floor(1)); })()
