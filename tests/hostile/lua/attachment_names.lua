local i=0 while true do i+=1 context:attachment('p'..i) end
