"""HTTP requests, responses, limits and worker threads, shared by all front ends."""
