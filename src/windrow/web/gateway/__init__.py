"""The gateway: every record of every repository as plain pages for search engines and other crawlers."""
