"""SRU 1.1, 1.2 and 2.0: parsing of requests, and diagnostics."""
