(function(){ var w=new WeakMap(), k=[]; for(;;){ var o={}; k.push(o); w.set(o,k); } })()
