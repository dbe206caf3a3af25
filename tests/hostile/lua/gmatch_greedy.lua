for w in string.rep('ab',2^20):gmatch('(a*b*)-c') do end return invokers
