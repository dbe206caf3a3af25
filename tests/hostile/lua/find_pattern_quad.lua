return string.rep('a',2^20):find('.-.-.-b')
