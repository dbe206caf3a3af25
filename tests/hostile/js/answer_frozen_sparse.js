(function(){ var a=[]; a[4294967294]=invokers[0]; return a; })()
