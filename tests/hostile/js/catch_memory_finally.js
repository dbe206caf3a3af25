(function(){ var a=[]; for(;;){ try { a.push("x".repeat(100000)+a.length); } finally { continue; } } })()
