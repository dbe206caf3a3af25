Object.defineProperty(this, "x", {get(){ while(true){} }}); x
