// @name pin-to-address
// @service *
//   For one service write its name there: com.shop.OrderService
// @force true
// A call that names a provider goes there or nowhere: with @force an answer without providers stands.

var KEY = "pin"; // the attachment that names it: 10.0.0.1:20880

function route(invokers, invocation) {
  var address = invocation.attachment(KEY, "");
  if (address === "") return invokers;
  return invokers.filter(function (invoker) {
    return invoker.url.address === address;
  });
}
