(function(){ var e=new Error("x"); e.name={toString(){ while(true){} }}; throw e; })()
