local i=0 while true do i+=1 invokers[1]:param('p'..i) end
