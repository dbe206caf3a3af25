return tonumber(string.rep('9',2^23))
