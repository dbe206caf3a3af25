local f=function() end for i=1,1e6 do local g=f f=function() return g() end end return f()
