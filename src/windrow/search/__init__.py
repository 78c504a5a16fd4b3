"""What people find: a question in an address, its results, one record, each in the formats others read."""
