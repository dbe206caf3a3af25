throw Symbol("x")
