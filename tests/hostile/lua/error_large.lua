error(string.rep('x',2^24))
