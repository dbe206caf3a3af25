(function(){ var o={a:1}; for (var k in o) { o[k+'x']=1; } for (var i=0;;i++) { for (var k in o) o['k'+i]=1; } })()
