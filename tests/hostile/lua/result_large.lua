local t={} for i=1,2e5 do t[i]=invokers[1] end return t
