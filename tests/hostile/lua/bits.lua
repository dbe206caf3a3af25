local x=0 while true do x=bit32.bxor(x,bit32.lrotate(x+1,7)) end
