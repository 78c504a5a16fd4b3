"""SRU at `/sru`: explain, searchRetrieve and scan, for library systems and for people with a browser."""
