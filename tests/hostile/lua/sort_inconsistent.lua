local t=table.create(5000,1) while true do pcall(table.sort,t,function(a,b) return true end) end
