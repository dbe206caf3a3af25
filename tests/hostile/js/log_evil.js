(function(){ console.log({toString(){ while(true){} }}); })()
