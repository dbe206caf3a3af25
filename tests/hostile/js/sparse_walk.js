(function(){ var a=[]; a[4294967290]=1; var n=0; for(var i in a) n++; a.reverse(); a.indexOf(2); a.sort(); return a.join().length; })()
