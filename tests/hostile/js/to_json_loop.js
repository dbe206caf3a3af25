(function(){ return JSON.stringify({toJSON(){ while(true){} }}); })()
