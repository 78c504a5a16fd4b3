"""Documents that people can look at: originals, pictures of them, their text, a gallery."""
