(function(){ var l=new java.util.ArrayList(); l.add(0); l.replaceAll(function(x){ l.add(1); return x; }); })()
