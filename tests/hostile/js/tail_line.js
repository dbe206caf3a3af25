invokers //
