for(;;) switch (1) { case 1: continue; }
