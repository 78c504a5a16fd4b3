"""The process that draws charts: `drawing` starts it as a module and communicates through pipes.

vl-convert holds the GIL while its JavaScript runs, some 40 ms a chart, and needs 100 MB; in a process of its
own it blocks no request, and a crash does not end the server. A job is a line of JSON; the answer is a line
with `ok` or `no` and a number of bytes, then the bytes. The process ends with its input.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

Job = Mapping[str, Any]


def main() -> None:
    """Run jobs until the input ends."""
    for line in sys.stdin.buffer:
        try:
            word, body = "ok", do(json.loads(line))
        except Exception as exc:  # noqa: BLE001 - the worker loop: one chart fails, the next is drawn
            word, body = "no", f"{type(exc).__name__}: {exc}".encode("utf-8", "replace")[:2000]
        sys.stdout.buffer.write(f"{word} {len(body)}\n".encode() + body)
        sys.stdout.buffer.flush()


def do(job: Job) -> bytes:
    return _DOING[job["do"]](job)


def _svg(job: Job) -> bytes:
    import vl_convert  # noqa: PLC0415 - if it is missing, the job reports so; the process must start

    drawn: str = vl_convert.vegalite_to_svg(
        job["spec"],
        allowed_base_urls=[],  # nothing is fetched
        format_locale=job["numbers"],
    )
    return drawn.encode("utf-8", "replace")


def _png(job: Job) -> bytes:
    import vl_convert  # noqa: PLC0415

    drawn: bytes = vl_convert.svg_to_png(job["svg"], scale=job["scale"])
    return drawn


def _bundle(job: Job) -> bytes:
    import vl_convert  # noqa: PLC0415

    return vl_convert.javascript_bundle(job["snippet"]).encode()


_DOING: Mapping[str, Callable[[Job], bytes]] = {"svg": _svg, "png": _png, "bundle": _bundle}

if __name__ == "__main__":
    main()
