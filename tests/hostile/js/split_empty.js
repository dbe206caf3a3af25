(function(){ var s='x'.repeat(60000); for(;;) s.split(''); })()
