(function(){ var s="a"; for(var i=0;i<22;i++) s+=s; return s.split("").length; })()
