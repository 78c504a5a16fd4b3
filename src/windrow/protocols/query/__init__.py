"""The query language of the search box and of settings: parsing to a `Query`."""
