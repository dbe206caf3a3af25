(function(){ for(;;) { (function(){ try { return 1; } finally { for(;;) { try { throw 1; } catch (e) { continue; } finally { break; } } } })(); } })()
