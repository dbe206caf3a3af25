(function(){ var m=new Map([[0,0]]); m.forEach(function(v,k){ m.set(k+1,0); m.delete(k); }); return m.size; })()
