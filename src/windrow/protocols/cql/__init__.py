"""CQL 1.2 and 2.0, the query language of SRU: parsing, conversion to and from `Query`."""
