"""What a run came to, in a line, out of all that it printed: the summary that `limits` hands to the store."""

from __future__ import annotations

LONGEST_WORDS = 300
_ERROR, _FATAL = "error: ", "✗ "


def last_words(output: str) -> str:
    """Give the line that says most about how it ended.

    That is the last that tells of an error. Else it is the last that is not indented, with the first of the
    details below it: "theseus: ok (run 4, 2 s); 12 new, …" rather than how many requests that took.
    """
    lines = [line for line in map(_printable, output.splitlines()) if line.strip()]
    errors = [line.removeprefix(_ERROR) for line in lines if line.startswith(_ERROR)]
    fatal = [line.strip().removeprefix(_FATAL) for line in lines if line.strip().startswith(_FATAL)]
    found = errors or fatal or [_headline(lines)]
    return " ".join(found[-1].split())[:LONGEST_WORDS]


def _headline(lines: list[str]) -> str:
    heads = [place for place, line in enumerate(lines) if not line[0].isspace()]
    if not heads:
        return lines[-1] if lines else ""
    head, *details = lines[heads[-1] :]
    return f"{head}; {details[0].strip()}" if details else head


def _printable(line: str) -> str:
    return "".join(filter(str.isprintable, line.expandtabs(1)))
