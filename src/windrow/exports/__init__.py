"""Records on their way out: one file a format, each streams what it is given."""
