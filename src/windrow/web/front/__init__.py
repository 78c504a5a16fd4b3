"""What `windrow serve` answers besides its faces: its health, robots.txt."""
