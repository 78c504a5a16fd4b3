"""How records are brought in: one run of one source at a time, page by page, each page checkpointed."""
