"""The state of harvests: list positions, file states, comparisons, quarantine, refresh requests."""
