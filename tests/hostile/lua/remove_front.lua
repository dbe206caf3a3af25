local t=table.create(5e5,1) while true do table.remove(t,1) table.insert(t,1) end
