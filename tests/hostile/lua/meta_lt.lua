local m={__lt=function() while true do end end} return setmetatable({},m)<setmetatable({},m)
