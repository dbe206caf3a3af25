(function(){ with ({get x(){ while(true){} }}) { x; } })()
