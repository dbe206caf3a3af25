(function(){ var s='x'.repeat(1<<20), t; for(var i=0;i<5;i++) s+=s; t=s+'y'; s+='y'; var n=0; for(;;) if (s==t) n++; })()
