(function(){ var o={set x(v){ this.x=v; }}; o.x=1; })()
