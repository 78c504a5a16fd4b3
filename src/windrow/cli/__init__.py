"""The command line: one file a noun. Results on stdout, everything else on stderr."""
