"""What `windrow serve` answers besides its faces: the first page, its health, robots.txt."""
