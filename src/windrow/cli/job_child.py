"""`python -m windrow.cli.job_child`: run one job in a process of its own. Started by the job runner only."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from windrow.cli.main import main
from windrow.config.loader import LIBRARY_VARIABLE
from windrow.schedule.job_hooks import read_hooks, run_to_exit_code
from windrow.schedule.job_process import JOB, watch_stdin


def run() -> None:
    """Run the command line, between the owner's programs to run before and after it."""
    programs = read_hooks(os.environ, os.environ.get(JOB, ""), Path(os.environ.get(LIBRARY_VARIABLE, ".")))
    if programs is None:
        main()
    else:
        sys.exit(programs.around(lambda: run_to_exit_code(main)))


if __name__ == "__main__":
    watch_stdin()  # ends this process when its parent ends
    run()
