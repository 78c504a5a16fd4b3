"""The query language for people: what is typed into the box, or written into a setting, to a Query."""
