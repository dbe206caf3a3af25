with ({ get invokers(){ while(true){} } }) { invokers }
