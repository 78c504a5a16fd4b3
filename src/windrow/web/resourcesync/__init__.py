"""The library for ResourceSync (ANSI/NISO Z39.99): lists of what there is, of what changed, and dumps."""
