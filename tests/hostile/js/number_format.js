(function(){ for(;;) (1.5).toFixed(100) + (1e300).toString(36) + (123.456).toPrecision(100); })()
