(function(){ var o={}; for(var i=0;i<40;i++) o={a:o,b:o}; return JSON.stringify(o); })()
