(function(){ var n=0; return Array.prototype.join.call({get length(){ return n++ ? 2**40 : 1; }}, "x"); })()
