(function(){ for(var i=0;;i++) invocation.getAttachment("k"+i); })()
