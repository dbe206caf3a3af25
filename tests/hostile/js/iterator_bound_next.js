(function(){ var f=({value:1,done:false}); var it={[Symbol.iterator](){ return { next: Object.bind(null, f) }; }}; return [...it].length; })()
