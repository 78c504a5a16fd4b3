"""What people see: search, records, browsing, status. Pages made on the server from `windrow.search`."""
