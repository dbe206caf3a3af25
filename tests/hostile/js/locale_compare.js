(function(){ var s="\u00e9"; for(var i=0;i<20;i++) s+=s; for(;;) s.localeCompare(s+"x"); })()
