"""Comparison, order and display of text: folding, stems, collation, highlighting."""
