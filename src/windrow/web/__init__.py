"""How the library is shown: each face in a folder of its own, what they share in `shared`."""
