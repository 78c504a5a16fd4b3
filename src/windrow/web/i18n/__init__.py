"""Translation of pages: message catalogues, labels of values, notices about queries."""
