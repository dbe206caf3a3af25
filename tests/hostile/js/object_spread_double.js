(function(){ var o={}; for(let i=0;i<1e5;i++) o['k'+i]=i; for(;;) o={...o}; })()
