(function(){ return Array.prototype.join.call({length: 4294967295}, 'x'); })()
