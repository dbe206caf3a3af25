table.clear(_G) return invokers
