(function(){ return Array.prototype.map.call({length: 9007199254740991}, function(x){ return x; }); })()
