(function(){ function* g(){ for(;;){ try { yield 1; } finally { continue; } } } for (var x of g()) break; })()
