(function(){ function f(){ g(); } function g(){ f(); } f(); })()
