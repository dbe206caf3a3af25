a = 1 /1/ 2; }); while(true){} (function(){ /
