(function(){ function f(){ try { return f(); } catch(e) { return invokers; } } return f(); })()
