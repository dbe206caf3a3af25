// @name version-at-least
// @service *
//   For one service write its name there: com.shop.OrderService
// @force true
// Keeps the providers that are new enough for the call; with @force nobody, if none is.

var KEY = "min.version";   // the attachment: 1.2.10
var PARAMETER = "release"; // where providers say theirs

// Compares what stands between the dots as numbers; a part that is missing is 0.
function isAtLeast(version, wanted) {
  var have = version.split("."), want = wanted.split(".");
  for (var i = 0; i < want.length; i++) {
    var difference = (parseInt(have[i], 10) || 0) - (parseInt(want[i], 10) || 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

function route(invokers, invocation) {
  var wanted = invocation.attachment(KEY, "");
  if (wanted === "") return invokers;
  return invokers.filter(function (invoker) {
    return isAtLeast(invoker.param(PARAMETER, "0"), wanted);
  });
}
