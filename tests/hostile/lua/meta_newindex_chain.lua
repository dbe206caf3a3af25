local t={} for i=1,150 do t=setmetatable({},{__newindex=t}) end t.x=1 return invokers
