(function(){ var e=new Error('x'); for(let i=0;i<50000;i++) e=new Error('x',{cause:e}); throw e; })()
