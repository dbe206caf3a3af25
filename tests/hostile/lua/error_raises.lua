error(setmetatable({},{__tostring=function() error('x') end}))
