(function(){ for(;;) { (1e21).toString(2); (0.1).toFixed(100); (1/3).toPrecision(100); } })()
