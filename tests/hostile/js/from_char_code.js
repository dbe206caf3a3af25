(function(){ return String.fromCharCode.apply(null, {length:2**31}); })()
