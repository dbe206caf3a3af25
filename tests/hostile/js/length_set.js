(function(){ var a=[1]; for(;;) { a.length=4294967295; a.length=1; } })()
