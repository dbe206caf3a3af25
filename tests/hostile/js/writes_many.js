(function(){ for(var i=0;;i++) invokers.get(0).getUrl().SetParam("k"+i, i); })()
