"""One module for each kind of file, listed in `kinds`: `read(file, job)` gives an Extract, or refuses."""
