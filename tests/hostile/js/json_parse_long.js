(function(){ var s="[1"; for(var i=0;i<20;i++) s+=s.slice(1)+",1"; return JSON.parse(s+"]"); })()
