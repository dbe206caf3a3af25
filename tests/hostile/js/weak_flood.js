(function(){ var w=new WeakMap(), k={}; for(;;) { w.set(k,{k}); k={}; } })()
