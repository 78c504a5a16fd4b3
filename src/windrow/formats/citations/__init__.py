"""Citation formats for reference managers: BibTeX, RIS and CSL JSON."""
