(function(){ return String.raw({raw:{length:2**40}}); })()
