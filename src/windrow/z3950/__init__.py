"""The Z39.50 target: a library for clients that speak the search protocol of libraries."""
