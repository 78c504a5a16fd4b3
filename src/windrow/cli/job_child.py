"""`python -m windrow.cli.job_child`: a run of a job in a process of its own. Not for people."""

from __future__ import annotations

from windrow.cli.main import main
from windrow.schedule.guarding import guard_by_stdin

if __name__ == "__main__":
    guard_by_stdin()  # from now on this ends when whoever began it does
    main()
