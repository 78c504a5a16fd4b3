"""One module per kind of file, listed in `reader_registry`.

Each has `read(file, job)`, which returns an Extract or raises Unreadable.
"""
