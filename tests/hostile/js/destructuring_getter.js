(function(){ var {a, ...rest}={get a(){ while(true){} }}; return rest; })()
