"""Marc."""
