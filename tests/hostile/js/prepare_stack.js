(function(){ Error.prepareStackTrace=function(){ while(true){} }; null.x; })()
