"""The web front ends, each in its own package, and the HTTP server code that they share."""
