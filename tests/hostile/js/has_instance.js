(function(){ return 1 instanceof {[Symbol.hasInstance](){ while(true){} }}; })()
