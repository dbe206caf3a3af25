local s=string.rep('a',2^20) while true do s:find(string.rep('a',2^19)..'b',1,true) end
