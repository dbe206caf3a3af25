(function(){ var f = n => n ? f(n-1)+f(n-1) : 1; var o={valueOf: () => f(100)}; return o+1; })()
