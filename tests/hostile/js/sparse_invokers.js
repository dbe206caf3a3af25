(function(){ invokers.length=2**32-1; invokers.add(1); return invokers.toArray(); })()
