"""One small script a peer: harvest everything, write it to one flat file, make sure it is on disk."""
