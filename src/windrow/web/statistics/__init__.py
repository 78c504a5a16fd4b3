"""What records add up to, for people: charts and tables of any search, and their files."""
