for _,x in {0/0,1/0,-1/0,2^63,-2^63,1e300,'1'} do pcall(math.random,x) pcall(math.random,x,x) pcall(math.random,-x,x) end return invokers
