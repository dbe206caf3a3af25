(function(){ var a=[1]; a.length=2**32-1; return a.reverse().length; })()
