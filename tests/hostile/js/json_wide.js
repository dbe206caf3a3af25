(function(){ var a=[]; for(let i=0;i<40;i++) a=[a,a]; return JSON.stringify(a); })()
