(function(){ var a=[]; a.push(a); return a.flat(Infinity).length; })()
