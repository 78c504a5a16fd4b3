"""The server's own front end."""
