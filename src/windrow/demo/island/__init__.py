"""Empty: the demo's documents are made by `windrow.demo.island_folder`."""
