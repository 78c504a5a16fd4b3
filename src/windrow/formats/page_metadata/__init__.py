"""Page metadata."""
