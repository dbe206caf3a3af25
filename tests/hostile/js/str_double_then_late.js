var text = "x";
for (var i = 0; i < 30; i++) text = text + text;
text.length;
text === text + "y";
invokers
