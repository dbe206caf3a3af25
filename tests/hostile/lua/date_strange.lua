local r={} for _,x in {0/0,1/0,-1/0,2^63,-2^63,1e300} do r[#r+1]=pcall(os.date,'%c',x) r[#r+1]=pcall(os.date,'*t',x) end return r
