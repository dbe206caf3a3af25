local n=0 for _ in utf8.codes(string.rep('é',2^22)) do n+=1 end return n
