(function(){ return {} instanceof {[Symbol.hasInstance](){ while(true){} }}; })()
