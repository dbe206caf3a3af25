(function(){ var it; function* g(){ it.next(); } it=g(); for(;;) try { it.next(); } catch (e) { it=g(); } })()
