local i=0 while true do i+=1 _G['g'..i]=i end
