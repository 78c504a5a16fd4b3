"""Dublin core."""
