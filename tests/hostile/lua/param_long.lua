while true do invokers[1]:param(string.rep('x',2^20)) end
