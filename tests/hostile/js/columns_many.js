(function(){ for(var i=0;;i++) invokers.get(0).getUrl().getParameter("k"+i); })()
