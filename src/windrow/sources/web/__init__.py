"""Harvesting of web sites: addresses, rules, requests and parsing of pages."""
