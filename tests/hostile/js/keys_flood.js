(function(){ for(var i=0;;i++) ({})['k'+i]=1; })()
