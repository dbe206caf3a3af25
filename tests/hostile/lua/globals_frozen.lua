table.freeze(_G) x=1 return invokers
