(function(){ var a=[1,2,3]; a.constructor={[Symbol.species]:function(){ while(true){} }}; return a.map(x=>x); })()
