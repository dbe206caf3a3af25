return {setmetatable({},{__len=function() while true do end end}),invokers[1]}
