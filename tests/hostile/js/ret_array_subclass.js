(function(){ class A extends Array { get length(){ while(true){} } } return new A(); })()
