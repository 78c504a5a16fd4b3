"""The HTTP server of `windrow serve`: processes, connections and limits."""
