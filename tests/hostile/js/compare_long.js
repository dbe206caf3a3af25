(function(){ var s="a"; for(var i=0;i<22;i++) s+=s; var t=s+"b", u=s+"c"; for(;;) { if (t == u) break; if (t < u) continue; } })()
