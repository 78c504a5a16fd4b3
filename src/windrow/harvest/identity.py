"""What the repository says of itself: asked once, and again before a full harvest."""

from __future__ import annotations

from dataclasses import asdict
from shlex import quote

from windrow.config.addresses import MASK
from windrow.errors import UpstreamError
from windrow.harvest.ending import is_fatal
from windrow.harvest.refusals import is_resting, note_refusal
from windrow.harvest.work import Work
from windrow.model.run import Weight


def learn_identity(work: Work) -> None:
    """Ask Identify, unless it is known. A repository that fails at that may still have records."""
    work.client.escape_fully = bool(work.identity.get("escape_fully", True))
    if (work.identity.get("is_identified") and not work.options.is_full) or is_resting(work, "Identify"):
        return
    work.observer.started(work.name, "Identify")
    try:
        identity = work.client.identify()
    except UpstreamError as exc:
        if is_fatal(exc):
            raise
        work.tell("identify", f"Identify failed: {exc}", weight=Weight.NOTE)
        note_refusal(work, "Identify", exc)
        return
    facts = {key: value for key, value in asdict(identity).items() if key != "response_date"}
    if facts["granularity"] != work.identity.get("granularity"):
        facts["negotiated"] = None  # what was found out held for what it said then
    work.learn(**facts, is_identified=True)


def note_address(work: Work) -> None:
    """Report that the repository has moved permanently, with the command that takes its new address over."""
    new = work.client.moved_to
    if new is None and not work.client.traffic.requests:
        return  # nothing was answered, so nothing is known
    if new != work.identity.get("moved_to"):
        work.learn(moved_to=new)
    if new is not None:
        words = (
            f"the repository has moved permanently to {new}; `{edit_command(work.name, new)}` takes that over"
        )
        work.tell("moved-permanently", words, weight=Weight.NOTE)


def edit_command(name: str, url: str) -> str:
    """Return the command that gives a source another address; one with a secret in it has to be filled in."""
    return f"windrow source edit {name} --url {'URL' if MASK in url else quote(url)}"
