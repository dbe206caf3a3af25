(function(){ var it={[Symbol.iterator](){ return { next: Object, done: false }; }}; return new Set(it).size + [...it].length; })()
