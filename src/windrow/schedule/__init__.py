"""Scheduling: cadences, jobs, the job runner, and the host's own schedulers.

Independent of `harvest`, which it never imports: a job is a command line, and each run is a process of its
own.
"""
