(function(){ return JSON.parse('[1,[2,[3]]]', function(k,v){ while(true){} }); })()
