(function(){ var o={get a(){ return this.a; }}; return o.a; })()
