local t=table.create(1e6,1) while true do for k in t do break end end
