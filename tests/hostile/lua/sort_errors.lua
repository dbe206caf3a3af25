while true do pcall(table.sort,{3,2,1},function(a,b) error(a) end) end
