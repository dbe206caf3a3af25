(function(){ var s='9'.repeat(1<<20); for(;;) { parseInt(s,10); Number(s); parseFloat(s); } })()
