do { switch (1) { case 1: continue; default: } } while (true)
