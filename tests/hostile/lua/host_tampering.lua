for _,f in {invokers[1].param,invokers[1].url.param,invocation.attachment,context.get} do pcall(f) pcall(f,{}) pcall(f,1,2,3) pcall(f,invokers[1]) pcall(f,nil,'x') end return invokers
