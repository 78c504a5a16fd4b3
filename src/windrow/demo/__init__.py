"""A synthetic repository of theses, over real HTTP, for `windrow demo`, for tests and for measuring.

Flow inside: words → theses → catalogue and rendering → repository → server.
"""
