while true do math.noise(1.5,2.5,3.5) end
