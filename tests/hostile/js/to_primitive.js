(function(){ var o={[Symbol.toPrimitive](){ while(true){} }}; return o*2; })()
