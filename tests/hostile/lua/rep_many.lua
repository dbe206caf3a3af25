return string.rep('x',2^53)
