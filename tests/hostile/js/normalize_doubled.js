(function(){ var s="\u1e9b\u0323"; for(var i=0;i<20;i++) s+=s; return s.normalize("NFKD").length; })()
