(function(){ java.util.Collections.sort(invokers, function(){ while(true){} }); return invokers; })()
