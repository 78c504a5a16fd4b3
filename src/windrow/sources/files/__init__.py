"""A web server's folder as a source: what of it is visible, and what can be said of each file."""
