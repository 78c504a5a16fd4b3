"""The commands about jobs, runs and schedules."""
