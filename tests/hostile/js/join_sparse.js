(function(){ var a=[]; a.length=2**32-1; return a.join("").length; })()
