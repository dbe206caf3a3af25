(function(){ var n=0; function* g(){ while(true) yield n++; } return new Set(g()).size; })()
