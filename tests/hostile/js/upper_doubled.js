(function(){ var s="\u00df"; for(var i=0;i<22;i++) s+=s; for(;;) s.toUpperCase(); })()
