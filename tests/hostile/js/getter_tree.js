(function(){ var o={get a(){ return this.b+this.b; }, get b(){ return this.c+this.c; }, get c(){ return this.d+this.d; }, get d(){ for (var i=0;i<400000;i++); return 1; }}; for(;;) o.a; })()
