(function(){ var a=[1,2,3]; a.constructor={[Symbol.species]:function(){ return a; }}; for(;;) a.concat(a); })()
