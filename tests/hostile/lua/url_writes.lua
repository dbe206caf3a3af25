local i=0 while true do i+=1 invokers[1].url['p'..i]=string.rep('x',1000)..i end
