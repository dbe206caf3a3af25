(function(){ var a={}, b=Object.create(a); Object.setPrototypeOf(a, b); })()
