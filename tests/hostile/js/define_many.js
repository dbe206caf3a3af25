(function(){ var d={}; for(var i=0;i<100000;i++) d["k"+i]={value:i}; for(;;) Object.defineProperties({}, d); })()
