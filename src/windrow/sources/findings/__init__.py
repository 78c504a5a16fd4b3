"""Judgements about a repository."""
