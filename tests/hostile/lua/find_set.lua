return string.rep('a',2^20):find('['..string.rep('b',2^15)..']')
