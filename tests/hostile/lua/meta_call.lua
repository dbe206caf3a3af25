return setmetatable({},{__call=function() while true do end end})()
