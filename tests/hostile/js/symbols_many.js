(function(){ for(var i=0;;i++) Symbol.for("s"+i); })()
