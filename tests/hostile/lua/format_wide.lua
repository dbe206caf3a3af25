local t={} for i=1,1e6 do t[i]=string.format('%99.99f',1e308) end return t
