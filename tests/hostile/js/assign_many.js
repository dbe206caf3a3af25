(function(){ var o={}; for(var i=0;i<100000;i++) o["k"+i]=i; for(;;) Object.assign({}, o); })()
