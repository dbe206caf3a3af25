return setmetatable({},{__mode='k'})
