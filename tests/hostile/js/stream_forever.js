(function(){ return invokers.stream().filter(function(){ while(true){} }).toArray(); })()
