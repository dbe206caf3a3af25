// @name night-shift
// @service *
//   For one service write its name there: com.shop.OrderService
// @timezone Asia/Shanghai
// At night calls go to the providers with shift=night, by day to the others. Without any of them all are kept.

var FROM = 22; // the first hour of the night
var UNTIL = 6; // the first hour of the day; it may be the next day's

function route(invokers) {
  var hour = now.hour;
  var isNight = FROM < UNTIL ? hour >= FROM && hour < UNTIL : hour >= FROM || hour < UNTIL;
  return invokers.filter(function (invoker) {
    return (invoker.param("shift") === "night") === isNight;
  });
}
