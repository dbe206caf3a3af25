(function(){ var s='ab'; for(;;) s=s.replaceAll('a','aba'); })()
