(function(){ function f(){ try { f(); } catch (e) { f(); } finally { f(); } } for(;;) try { f(); } catch (e) {} })()
