(function(){ var o={length:4294967295,[Symbol.isConcatSpreadable]:true}; return [].concat(o); })()
