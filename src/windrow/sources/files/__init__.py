"""A web server's folder as a source: which of its files are visible, and how they are described."""
