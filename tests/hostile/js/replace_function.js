(function(){ return 'aaaa'.replace('a', function(){ while(true){} }); })()
