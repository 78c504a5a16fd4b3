"""The gateway: every record of every repository as plain pages that search engines and other crawlers can
follow.
"""
