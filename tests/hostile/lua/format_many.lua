local t=table.create(7000,{}) return #string.format(string.rep('%s',7000),unpack(t))
