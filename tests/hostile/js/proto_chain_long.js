(function(){ var o={}; for(let i=0;i<90000;i++) o=Object.create(o); return 'x' in o || o.y || (o.z=1); })()
