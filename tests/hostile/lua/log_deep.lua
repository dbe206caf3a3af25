local t t=setmetatable({},{__tostring=function() print(t) return '' end}) print(t)
