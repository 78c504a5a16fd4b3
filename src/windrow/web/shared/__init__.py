"""Assets shared by all front ends."""
