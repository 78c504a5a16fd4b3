"""The library's database. It is the primary copy of all records; everything else can be rebuilt from it."""
