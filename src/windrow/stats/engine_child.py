"""What draws charts, in a process of its own: `engine` starts it as a module and speaks to it over its pipes.

vl-convert holds the interpreter's lock while its JavaScript runs, some 40 ms a chart, and needs 100 MB; here
it keeps nobody waiting, and whatever a strange chart did to it would not end the server. A job is a line of
JSON; the answer is a line with `ok` or `no` and a number of bytes, then the bytes. It ends with its input.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

Job = Mapping[str, Any]


def main() -> None:
    """Do jobs until there are no more."""
    for line in sys.stdin.buffer:
        try:
            word, body = "ok", do(json.loads(line))
        except Exception as exc:  # noqa: BLE001 - the worker loop: one chart fails, the next is drawn
            word, body = "no", f"{type(exc).__name__}: {exc}".encode("utf-8", "replace")[:2000]
        sys.stdout.buffer.write(f"{word} {len(body)}\n".encode() + body)
        sys.stdout.buffer.flush()


def do(job: Job) -> bytes:
    """Do one job."""
    return _DOING[job["do"]](job)


def _svg(job: Job) -> bytes:
    import vl_convert  # noqa: PLC0415 - what is missing is told by the job, not by a process that will not start

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
