"""What keeps a library current by itself: cadences, jobs, the runner, the host's own schedulers.

It stands beside the harvest and never imports it: a job is a command line, a run of it a process of its own.
"""
