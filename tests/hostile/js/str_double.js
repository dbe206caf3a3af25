(function(){ var s='xy'; for(;;) s+=s; })()
