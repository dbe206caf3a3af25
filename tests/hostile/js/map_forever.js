(function(){ var m=new Map([[1,1]]); m.forEach(function(v,k){ m.delete(k); m.set(k+1,v); }); })()
