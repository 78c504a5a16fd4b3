"""`python -m windrow`: the command line, where `windrow` is not on the path, as in a crontab."""

from __future__ import annotations

from windrow.cli.main import main

if __name__ == "__main__":
    main()
