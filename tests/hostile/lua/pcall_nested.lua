local function f(n) if n>0 then return pcall(f,n-1) end while true do end end f(100)
