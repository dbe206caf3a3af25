return #string.gsub(string.rep('a',2^22),'a*$','x')
