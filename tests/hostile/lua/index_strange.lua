return invocation.arguments[0/0],invocation.arguments[2^53],invocation.arguments[-1]
