(function(){ return new Date(1, {valueOf(){ while(true){} }}); })()
