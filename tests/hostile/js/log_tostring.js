(function(){ print({toString(){ while(true){} }}); })()
