(function(){ function f(n, a = n>0 && f(n-1), b = n>0 && f(n-1)){ return 1; } return f(100); })()
