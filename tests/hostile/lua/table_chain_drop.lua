local t={} for i=1,2e5 do t={t} end return invokers
