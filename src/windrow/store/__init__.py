"""Where records are kept: the truth of the library. Everything else can be made again from it."""
