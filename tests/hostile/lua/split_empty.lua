return #string.split(string.rep('x',2^22),'')
