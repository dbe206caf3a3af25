for k in (function() return {[invokers[1]]=1,[invokers[2]]=2} end)() do return {k} end
