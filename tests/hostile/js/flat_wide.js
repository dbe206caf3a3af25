(function(){ var a=[1,1,1,1,1,1,1,1]; for(var i=0;i<12;i++) a=[a,a,a,a,a,a,a,a]; return a.flat(Infinity).length; })()
