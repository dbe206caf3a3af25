(function(){ var s="a"; for(var i=0;i<22;i++) s+=s; return Object.keys(s).length; })()
