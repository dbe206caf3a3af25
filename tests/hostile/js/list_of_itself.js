(function(){ var l=new java.util.ArrayList(); l.add(l); return String(l); })()
