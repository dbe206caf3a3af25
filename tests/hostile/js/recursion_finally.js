(function(){ function f(){ try { f(); } finally { f(); } } f(); })()
