(function(){ var n=0, o={get length(){ return n++ ? 9007199254740991 : 1; }}; return Array.prototype.slice.call(o); })()
