(function(){ var f=function(){ return 1; }; for(let i=0;i<60000;i++) f=f.bind(null); return f(); })()
