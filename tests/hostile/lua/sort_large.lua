local t={} for i=1,1e6 do t[i]=-i end table.sort(t) return t
