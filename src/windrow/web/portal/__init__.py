"""The portal: search, record, browse and status pages, rendered on the server."""
