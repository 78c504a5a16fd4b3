"""Formats of repository software and services: DSpace, arXiv, JPCOAR and OAI-ORE."""
