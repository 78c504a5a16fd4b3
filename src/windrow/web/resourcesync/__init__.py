"""The ResourceSync front end (ANSI/NISO Z39.99): lists of resources, lists of changes, and dumps."""
