(function(){ return "a".repeat(60000).split(/(a+)+b/); })()
