return #os.date(string.rep('%c',1e6))
