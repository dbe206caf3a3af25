(function(){ class A extends Array { static get [Symbol.species]() { return function(){ while(true){} }; } } return new A(1,2,3).map(x=>x); })()
