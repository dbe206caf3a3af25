(function(){ var s='x'.repeat(1<<20); for(let i=0;i<4;i++) s+=s; throw s; })()
