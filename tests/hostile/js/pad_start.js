(function(){ for(;;) "x".padStart(2**28, "ab"); })()
