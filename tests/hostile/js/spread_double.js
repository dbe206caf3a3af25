(function(){ var a=[1,2]; for(;;) a=[...a,...a]; })()
