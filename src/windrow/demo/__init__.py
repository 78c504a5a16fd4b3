"""A synthetic repository of theses, over real HTTP, for `windrow demo`, for tests and for measuring.

Data flow: word_lists → theses → thesis_formats → thesis_repository → thesis_server. The `island_…` modules
make the folder of documents.
"""
