"""Search: requests read from addresses, their results and facets, single records, and record schemas."""
