(function(){ var s=new java.util.HashSet(); s.add(0); s.forEach(function(x){ s.add(x+1); }); })()
