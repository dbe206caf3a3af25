local t=table.create(1e6,1) table.sort(t) return t
