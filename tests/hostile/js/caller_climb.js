(function f(){ return f.caller; })()
