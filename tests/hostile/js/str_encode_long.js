(function(){ var s='\u00e9'.repeat(1<<20); for(var i=0;i<5;i++) s+=s; for(;;) encodeURIComponent(s); })()
