"""The statistics front end: charts and tables of any search, and their files."""
