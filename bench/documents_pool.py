"""`python -m bench.documents_pool FOLDER OUT [WORKERS]`: the plain loop's work by Windrow's readers alone.

Between the plain loop and a whole harvest: children, limits, kinds by content and languages are in it, the
library is not. Writes what the plain loop writes.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import BinaryIO

from windrow.extract.pool import Pool, Task
from windrow.extract.reading_job import Job, Refusal


def main(folder: Path, out: Path, workers: int = 1) -> int:
    out.mkdir()
    paths = sorted(folder.rglob("*.*"))
    tasks = (Task(path, partial(_opened, path), Job(path.name)) for path in paths)
    pool, refused = Pool(workers), 0
    with (out / "documents").open("w", encoding="utf-8") as lines:
        for task, outcome in pool.work(tasks):
            if isinstance(outcome, Refusal):
                refused += 1
                print(f"{task.key.name}: {outcome.reason}", file=sys.stderr)
                continue
            lines.write(json.dumps({"path": str(task.key.relative_to(folder)), **asdict(outcome.extract)}))
            lines.write("\n")
            if outcome.picture:
                (out / f"{task.key.stem}.jpg").write_bytes(outcome.picture)
    pool.close()
    return int(refused > 0)


def _opened(path: Path) -> BinaryIO:
    return path.open("rb")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), *map(int, sys.argv[3:])))
