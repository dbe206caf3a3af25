(function(){ class A { x=(()=>{ while(true){} })(); } return new A(); })()
