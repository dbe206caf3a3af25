local t=table.create(7900,1) while true do select('#',unpack(t)) end
