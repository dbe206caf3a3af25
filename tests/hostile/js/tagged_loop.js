(function(){ function tag(s,...v){ while(true){} } return tag`a${1}b`; })()
