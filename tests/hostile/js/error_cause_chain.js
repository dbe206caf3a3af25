(function(){ var e=null; for(var i=0;i<100000;i++) e=new Error("x",{cause:e}); throw e; })()
