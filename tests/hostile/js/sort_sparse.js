(function(){ var a=[3,1]; a.length=2**32-1; return a.sort().length; })()
