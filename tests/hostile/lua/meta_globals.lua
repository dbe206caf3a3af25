setmetatable(_G,{__index=function() while true do end end}) return x
