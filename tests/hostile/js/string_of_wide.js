(function(){ var a=[1]; for(let i=0;i<40;i++) a=[a,a]; return String(a); })()
