"""The vocabulary front end: pages for browsing, and downloads as SKOS, Zthes and tables."""
