return {{},1,'x',print,invokers[1].url,{url=1},nil,invokers[1]}
