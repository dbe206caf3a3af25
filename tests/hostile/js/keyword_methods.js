(function(){ var o={ if(n){ var x=0; for (var i=0;i<300000;i++) x+=n?this.while(n-1):1; return x; }, while(n){ return this.if(n); } }; return ''+{ toString(){ return o.if(50); } }; })()
