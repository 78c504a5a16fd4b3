"""The layout of pages: site address, theme, templates, page cache and error pages."""
