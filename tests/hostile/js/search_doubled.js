(function(){ var s="a"; for(var i=0;i<20;i++) s+=s; return s.indexOf(s.slice(1)+"b"); })()
