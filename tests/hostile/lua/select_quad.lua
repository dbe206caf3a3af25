local t=table.create(7900,1) local function f(...) for i=1,1e9 do local x=select(i%7900+1,...) end end f(unpack(t))
