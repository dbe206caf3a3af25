(function(){ var s="1"; for(var i=0;i<22;i++) s+=s; return parseFloat(s) + Number(s) + parseInt(s, 36); })()
