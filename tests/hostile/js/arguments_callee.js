(function(){ return arguments.callee(); })()
