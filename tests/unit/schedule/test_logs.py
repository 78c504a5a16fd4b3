"""The output of runs on disk: bounded, thinned out, read from its end."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.config.secrets import Mask
from windrow.schedule.run_logs import add_note, last_lines, log_name, open_log, prune_logs, read_log


def _log(folder: Path, number: int = 1) -> str:
    return log_name("nightly", number)


def test_what_is_printed_can_be_read_at_once(tmp_path: Path) -> None:
    log = open_log(tmp_path, "nightly", 1)
    assert read_log(tmp_path, _log(tmp_path)) == ""
    log(b"first\nsec")
    assert read_log(tmp_path, _log(tmp_path)) == "first\nsec"
    log(b"ond\n")
    assert read_log(tmp_path, _log(tmp_path)) == "first\nsecond\n"
    assert (tmp_path / "logs" / "nightly" / "1.log").stat().st_mode & 0o077 == 0


def test_a_long_output_keeps_its_beginning_and_its_end(tmp_path: Path) -> None:
    log = open_log(tmp_path, "nightly", 1, most_bytes=2000)
    lines = [f"line {number:05}\n" for number in range(5000)]
    for line in lines:
        log(line.encode())
    text = read_log(tmp_path, _log(tmp_path)) or ""
    assert len(text.encode()) <= 2000
    before, _, after = text.partition("… ")
    said, _, end = after.partition("…\n")
    assert "".join(lines).startswith(before)
    assert before.startswith("line 00000\n")
    assert "".join(lines).endswith(end)
    assert len(end) > 900
    left_out = int(said.split()[0].replace(",", ""))
    assert left_out == len("".join(lines)) - len(before) - len(end)


@settings(max_examples=60, deadline=None)
@given(pieces=st.lists(st.binary(max_size=400), max_size=60))
def test_a_log_never_outgrows_its_bounds_whatever_comes(
    pieces: list[bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("library")
    log, most = open_log(folder, "nightly", 1, most_bytes=1000), 1000
    for piece in pieces:
        log(piece)
        assert (folder / log_name("nightly", 1)).stat().st_size <= most
    whole = b"".join(pieces)
    kept = (folder / log_name("nightly", 1)).read_bytes()
    assert kept == whole if len(whole) <= most else kept[-50:] in whole


def test_of_many_runs_the_oldest_logs_go(tmp_path: Path) -> None:
    for number in range(8, 13):
        open_log(tmp_path, "nightly", number, keep=3)
    (tmp_path / "logs" / "nightly" / "notes.log").write_text("mine")
    assert prune_logs(tmp_path, "nightly", keep=2) == ["logs/nightly/10.log"]
    left = sorted(each.name for each in (tmp_path / "logs" / "nightly").iterdir())
    assert left == ["11.log", "12.log", "notes.log"]


def test_the_end_of_a_log_is_read_in_whole_lines(tmp_path: Path) -> None:
    log = open_log(tmp_path, "nightly", 1)
    log("eka rivi\n\ntoinen ä rivi\nkolmas\n".encode())
    assert read_log(tmp_path, _log(tmp_path), most_bytes=10) == "kolmas\n"
    assert last_lines(tmp_path, _log(tmp_path), 2) == ["toinen ä rivi", "kolmas"]


def test_output_that_is_no_text_is_read_all_the_same(tmp_path: Path) -> None:
    open_log(tmp_path, "nightly", 1)(b"\xff\x00 odd\n")
    assert last_lines(tmp_path, _log(tmp_path), 5) == ["\ufffd\x00 odd"]


def test_a_log_that_is_gone_is_none(tmp_path: Path) -> None:
    assert read_log(tmp_path, _log(tmp_path)) is None
    assert read_log(tmp_path, "") is None
    assert last_lines(tmp_path, "", 3) == []
    add_note(tmp_path, _log(tmp_path), "not told")
    assert read_log(tmp_path, _log(tmp_path)) is None


def test_a_note_of_our_own_comes_after_the_output(tmp_path: Path) -> None:
    open_log(tmp_path, "nightly", 1)(b"done\n")
    add_note(tmp_path, _log(tmp_path), "not told by mail: nobody listens")
    assert read_log(tmp_path, _log(tmp_path)) == "done\nwindrow: not told by mail: nobody listens\n"


def test_a_secret_is_blotted_out_even_when_it_comes_in_pieces(tmp_path: Path) -> None:
    log = open_log(tmp_path, "nightly", 1, mask=Mask(["correct horse", "to", "correct horse battery"]))
    for piece in (b"user: correct", b" hor", b"se battery! to corr", b"ect answer\n"):
        log(piece)
    assert read_log(tmp_path, _log(tmp_path)) == "user: ********! to correct answer\n"


@settings(max_examples=100, deadline=None)
@given(before=st.binary(max_size=30), cuts=st.lists(st.integers(0, 60), max_size=6))
def test_no_way_to_cut_the_output_lets_a_secret_through(before: bytes, cuts: list[int]) -> None:
    secret = b"abcabcabd"
    whole = before + secret + b"abcabc" + secret + b"\n"
    mask = Mask([secret.decode()])
    ends = sorted({min(cut, len(whole)) for cut in cuts} | {len(whole)})
    pieces = [whole[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    written = b"".join(map(mask.feed, pieces))
    assert secret not in written
    assert written == whole.replace(secret, b"********")


@pytest.mark.parametrize(
    ("end", "kept"), [(b"the end: co", "the end: co"), (b"the end: correct ho", "the end: ********")]
)
def test_what_looked_like_a_secret_at_the_very_end_is_not_lost(tmp_path: Path, end: bytes, kept: str) -> None:
    log = open_log(tmp_path, "nightly", 1, mask=Mask(["correct horse"]))
    log(end)
    assert read_log(tmp_path, _log(tmp_path)) == "the end: "
    log(b"")
    assert read_log(tmp_path, _log(tmp_path)) == kept


def test_a_log_is_private_from_its_first_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / _log(tmp_path)
    place.parent.mkdir(parents=True)
    place.write_text("of a library that was restored")
    place.chmod(0o644)
    monkeypatch.setattr(Path, "chmod", None)  # what is made private only afterwards was open before
    open_log(tmp_path, "nightly", 1)(b"done\n")
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert place.read_bytes() == b"done\n"
