(function(){ var e=new RangeError("Maximum call stack size exceeded"); throw e; })()
