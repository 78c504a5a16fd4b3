"""One module per kind of file, listed in `reader_registry`: `read(file, job)` returns an Extract or
raises Unreadable.
"""
