"""Vocabularies for people to walk through, and for programs to take: pages, SKOS and Zthes."""
