return table.create(1.9e6,invokers[1])
