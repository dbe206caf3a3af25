(function(){ return "a".repeat(60000).replace(/(a*)*b/g, "x"); })()
