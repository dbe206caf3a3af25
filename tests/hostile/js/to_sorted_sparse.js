(function(){ var a=[1]; a.length=2**32-1; return a.toSorted().length + a.toReversed().length + a.with(0,1).length; })()
