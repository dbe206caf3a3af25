return table.concat({},'x',1,2^31)
