(function(){ return Array.prototype.join.call({length:2**40}, "x"); })()
