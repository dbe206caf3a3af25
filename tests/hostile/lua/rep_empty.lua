return string.rep('',2^31)
