"""The documents front end: original files, thumbnails, their text and a gallery."""
