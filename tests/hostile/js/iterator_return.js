(function(){ var it={[Symbol.iterator](){ return { next(){ return {value:1,done:false}; }, return(){ while(true){} } }; }}; for (var x of it) break; var [y]=it; })()
