var map = new Map();
try { for (var i = 0;; i++) map.set(i, {}); } catch (error) { map = null; throw "caught " + error; }
