(function(){ for(;;) new Date('-'.repeat(60000)); })()
