"""Mapping of metadata onto the document model: drafts, names, dates, identifiers, links, markup."""
