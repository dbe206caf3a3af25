(function(){ function f(){ try { return f(); } catch(e) { return f(); } } return f(); })()
