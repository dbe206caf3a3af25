local s=string.rep('A',2^22) while true do s:lower() s:upper() s:reverse() end
