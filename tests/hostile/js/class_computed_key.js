(function(){ class A { [(()=>{ while(true){} })()](){} } return A; })()
