__iterate(setmetatable({},{__iter=error})) return __iterate({}, 1)
