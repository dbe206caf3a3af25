// @name canary-percent
// @service *
//   For one service write its name there: com.shop.OrderService
// Some users go to the providers with canary=true, always the same ones; all others go to the rest.

var PERCENT = 10;      // of the users; 0 is nobody, 100 everybody
var KEY = "user_id";   // the attachment that tells users apart
var SALT = "canary-1"; // another text chooses other users

// FNV-1a over code points, in 32 bits; the product is split so that it is exact.
function hash(text) {
  var value = 2166136261;
  for (var character of text) {
    value = (value ^ character.codePointAt(0)) >>> 0;
    value = ((value % 256) * 16777216 + value * 403) % 4294967296;
  }
  return value;
}

function route(invokers, invocation) {
  var user = invocation.attachment(KEY, "");
  var isChosen = user !== "" && hash(SALT + user) % 100 < PERCENT;
  return invokers.filter(function (invoker) {
    return (invoker.param("canary") === "true") === isChosen;
  });
}
