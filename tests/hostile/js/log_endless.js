(function(){ for(;;) console.log("x".repeat(5000)); })()
