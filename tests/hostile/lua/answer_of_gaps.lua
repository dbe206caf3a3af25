local kept = {}
for i = 1, 2^20 do kept[i * 2^20] = invokers[1] end
return kept
