if (1) {} /}/; var x = 1; /[}]/.test(""); while(true){}
