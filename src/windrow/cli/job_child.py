"""`python -m windrow.cli.job_child`: a run of a job in a process of its own. Not for people."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from windrow.cli.main import main
from windrow.config.find import VARIABLE
from windrow.schedule.beginning import JOB
from windrow.schedule.guarding import guard_by_stdin
from windrow.schedule.programs import exit_code_of, programs_of


def run() -> None:
    """Run the command line, between the programs that the owner wants before and after it."""
    programs = programs_of(os.environ, os.environ.get(JOB, ""), Path(os.environ.get(VARIABLE, ".")))
    if programs is None:
        main()
    else:
        sys.exit(programs.around(lambda: exit_code_of(main)))


if __name__ == "__main__":
    guard_by_stdin()  # from now on this ends when whoever began it does
    run()
