(function(){ var o={[Symbol.toPrimitive](){ return +o; }}; return +o; })()
