(function(){ var n=0; function* g(){ while(true) yield ['k'+n++, 1]; } return Object.fromEntries(g()); })()
