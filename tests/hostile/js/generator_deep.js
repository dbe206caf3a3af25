(function(){ function* g(n){ if (n) yield* g(n-1); yield 1; } return [...g(20000)].length; })()
