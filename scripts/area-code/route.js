// @name area-code
// @service *
//   For one service write its name there: com.shop.OrderService
// Keeps the providers of the caller's area. A caller without an area, or in one that has no provider, gets all.

var KEY = "areaCode"; // the attachment of the call, and the parameter of the provider

function route(invokers, invocation) {
  var area = invocation.attachment(KEY, "");
  var own = invokers.filter(function (invoker) {
    return area !== "" && invoker.param(KEY) === area;
  });
  return own.length > 0 ? own : invokers;
}
