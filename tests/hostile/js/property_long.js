(function(){ var s="a"; for(var i=0;i<22;i++) s+=s; var o={}; for(var i=0;;i++) o[s+i]=1; })()
