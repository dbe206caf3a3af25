(function(){ function* g(){ for(;;) yield 1; } var [...all] = g(); return all; })()
