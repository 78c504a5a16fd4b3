"""The library as an OAI-PMH repository: for harvesters, and as pages for people at the same addresses."""
