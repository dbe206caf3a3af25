return os.time({year=1e300,month=-1e300,day=0/0})
