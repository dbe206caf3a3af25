return #table.move({},-2^53,2^53,1)
