(function(){ return /^(([a-z])+.)+[A-Z]([a-z])+$/.test("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"); })()
