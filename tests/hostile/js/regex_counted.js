(function(){ return new RegExp("(?:a{1,1000}){1,1000}").test("a".repeat(1000)); })()
