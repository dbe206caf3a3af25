(function(){ throw "x".repeat(1000000); })()
