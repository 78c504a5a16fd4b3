"""Crawling web sites: the loop over the frontier, and the records made from pages."""
