for _,n in {-1,0/0,2^26,2^27,2^31,2^53,1/0} do pcall(table.create,n) end return invokers
