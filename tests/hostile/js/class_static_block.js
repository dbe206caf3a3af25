(function(){ class A { static { while(true){} } } return A; })()
