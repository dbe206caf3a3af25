// @name user-id-range
// @service *
//   For one service write its name there: com.shop.OrderService
// @force true
// Users live in shards by the number of their id: a call goes to the user's shard, or nowhere.

var KEY = "user_id"; // the attachment
var RANGES = [
  { first: 1, last: 499999, shard: "a" },
  { first: 500000, last: 999999, shard: "b" },
];

// A call without an id, or with one in no range, may go to any shard.
function route(invokers, invocation) {
  var text = invocation.attachment(KEY, "");
  var id = text === "" ? NaN : Number(text);
  var range = RANGES.find(function (range) {
    return range.first <= id && id <= range.last;
  });
  if (!range) return invokers;
  return invokers.filter(function (invoker) {
    return invoker.param("shard") === range.shard;
  });
}
