(function(){ return "a".replace({[Symbol.replace](){ while(true){} }}, ""); })()
