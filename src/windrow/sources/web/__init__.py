"""Harvesting web sites: addresses, rules, pages and requests of the robot."""
