(function(){ var f=Math.max; for(var i=0;i<3000;i++) f=f.bind(null, 1, 2, 3); return f(); })()
