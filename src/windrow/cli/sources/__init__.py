"""The commands about sources, collections, harvests, crawls and the quarantine."""
