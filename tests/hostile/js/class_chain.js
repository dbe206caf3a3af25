(function(){ var C=class {}; for(var i=0;i<3000;i++) C=class extends C { constructor(){ super(); } }; return new C(); })()
