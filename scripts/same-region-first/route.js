// @name same-region-first
// @service *
//   For one service write its name there: com.shop.OrderService
// Keeps the providers in the caller's region; all of them where there is none.

var KEY = "region"; // the attachment of the call, and the parameter of the provider

function route(invokers, invocation) {
  var region = invocation.attachment(KEY, "");
  if (region === "") return invokers;
  var near = [];
  for (var i = 0; i < invokers.length; i++) {
    if (invokers[i].param(KEY) === region) near.push(invokers[i]);
  }
  return near.length > 0 ? near : invokers;
}
