"""The command line: one module per noun. Results go to stdout, everything else to stderr."""
