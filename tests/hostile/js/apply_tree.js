(function(){ function f(n){ return n ? Reflect.apply(f,null,[n-1])+f.call(null,n-1)+f.apply(null,[n-1]) : 1; } return f(100); })()
