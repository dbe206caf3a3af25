local function f(m) error(m) end xpcall(f,f,'x') while true do xpcall(f,f) end
