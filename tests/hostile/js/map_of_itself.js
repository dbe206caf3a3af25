(function(){ var m=new java.util.HashMap(); m.put("m", m); return String(m); })()
