"""How records are found: an index follows the store, and faces ask it. The store is the truth."""
