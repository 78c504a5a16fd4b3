"""The SRU front end at `/sru`: explain, searchRetrieve and scan, for library systems and browsers."""
