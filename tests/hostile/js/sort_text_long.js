(function(){ var s="a"; for(var i=0;i<20;i++) s+=s; var a=[]; for(var i=0;i<2000;i++) a.push(s+i); return a.sort().length; })()
