(function(){ function t(s){ return t`${s}`; } return t``; })()
