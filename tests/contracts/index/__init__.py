"""Every index gives the same answers: the one in memory, which is plainly right, and the real one."""
