// @name weekday-maintenance
// @service *
//   For one service write its name there: com.shop.OrderService
// @timezone Asia/Shanghai
// Keeps away from providers with maintenance=DAY while it is their day and hour. If that leaves none, all are kept.

var DAYS = { 3: "wednesday", 7: "sunday" }; // 1 is Monday
var FROM = 2;  // the first hour
var UNTIL = 5; // the first hour after it

function route(invokers) {
  var day = DAYS[now.weekday];
  if (!day || now.hour < FROM || now.hour >= UNTIL) return invokers;
  return invokers.filter(function (invoker) {
    return invoker.param("maintenance") !== day;
  });
}
