return select('#',unpack({},-2^53,2^53))
