}); while(true){}; (function(){
