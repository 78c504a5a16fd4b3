"""One maker a reference page: reads the code, gives Markdown."""
