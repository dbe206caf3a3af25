(function(){ var o={}; o.o=o; return JSON.stringify(o); })()
