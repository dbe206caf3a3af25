(function(){ function* w(g){ yield* g; } var g=(function*(){ yield 1; })(); for(let i=0;i<20000;i++) g=w(g); for (var x of g) {} return 1; })()
