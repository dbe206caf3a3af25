(function(){ class A extends Array { constructor(n){ super(n); while(true){} } } return new A(1).map(x=>x); })()
