"""Crawling a web site: the loop over the frontier, and the records that its pages make."""
