var kept = [];
try { for (;;) kept.push([1, 2, 3, 4, 5, 6, 7, 8, 9]); } catch (error) { kept = null; }
[invokers[0]]
