(function(){ for(var i=0;;i++) Symbol.for('k'+i); })()
