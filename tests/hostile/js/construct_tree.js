(function(){ function F(n){ if (n) { Reflect.construct(F,[n-1]); new F(n-1); } } return new F(40); })()
