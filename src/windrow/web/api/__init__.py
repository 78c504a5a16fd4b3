"""The JSON API under `/api/v1`: everything that pages show, for programs. Described by its own OpenAPI."""
