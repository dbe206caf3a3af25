(function(){ var s="\u4e00"; for(var i=0;i<22;i++) s+=s; return encodeURIComponent(s).length + escape(s).length; })()
