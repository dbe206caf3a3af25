local t=table.create(5e5,1) while true do table.insert(t,1,0) end
