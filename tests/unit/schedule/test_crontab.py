"""A crontab as bytes: only our own line is touched."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.errors import ConfigError
from windrow.schedule.hosts.cron import (
    MAX_COMMAND_BYTES,
    has_line,
    insert_line,
    remove_line,
    render_line,
    sets_zone,
)

MARK = "0123456789ab"
COMMAND = ("/usr/bin/python3", "-m", "windrow", "--library", "/srv/theses", "schedule", "run", "nightly")
LINE = render_line("30 3 * * *", COMMAND, "nightly", MARK)
# Such a table as the owner of a few collections has: mail, notes, odd spacing, Sunday as 7.
PAPER = b"""# collections of the reading room
MAILTO=owner@library.example

# min hour dom mon dow  command
00 6 * * 7   /srv/build/rebuild.sh   reports
 0  *\t*  *  *  /srv/build/rebuild.sh "news"   >> /srv/log/news.txt 2>&1
#15 2 * * *  /srv/build/rebuild.sh theses
30 4 1 * * date +\\%F > /srv/log/last

"""
ODD = [
    b"",
    b"\n",
    b"\n\n\n",
    PAPER,
    PAPER.rstrip(b"\n"),
    PAPER.replace(b"\n", b"\r\n"),
    b"# caf\xe9 \xff\xfe\n0 0 * * * true",
    b"0 0 * * * true # windrow-job other 0123456789ab\n",
    b"0 0 * * * true # windrow-job nightly ffffffffffff\n",
    b"# windrow-job nightly 0123456789ab",
    b"\x00\x1a\n\r",
]


@pytest.mark.parametrize("table", ODD)
def test_what_was_put_in_and_taken_out_has_left_no_trace(table: bytes) -> None:
    with_ours = insert_line(table, LINE, "nightly", MARK)
    assert has_line(with_ours, "nightly", MARK)
    assert remove_line(with_ours, "nightly", MARK) == table


lines = st.one_of(st.binary(max_size=20), st.sampled_from([LINE[:-1], b"# " + LINE, b"MAILTO=x", b"\r"]))


@given(st.lists(lines, max_size=8).map(b"\n".join))
def test_any_bytes_are_the_same_again(table: bytes) -> None:
    assert remove_line(insert_line(table, LINE, "nightly", MARK), "nightly", MARK) == table


@given(st.lists(lines, max_size=8).map(b"\n".join), st.integers(0, 9))
def test_a_line_that_people_moved_is_replaced_where_it_stands(table: bytes, place: int) -> None:
    pieces = table.split(b"\n")
    pieces.insert(min(place, len(pieces) - 1), LINE)
    newer = render_line("0 5 * * *", COMMAND, "nightly", MARK)
    expected = [newer if piece == LINE else piece for piece in pieces]
    assert insert_line(b"\n".join(pieces), newer, "nightly", MARK).split(b"\n") == expected


def test_adding_again_replaces_instead_of_repeating() -> None:
    twice = insert_line(insert_line(PAPER, LINE, "nightly", MARK), LINE, "nightly", MARK)
    assert twice == insert_line(PAPER, LINE, "nightly", MARK)
    assert twice.count(b"windrow-job") == 1


def test_a_line_that_someone_doubled_is_one_again() -> None:
    assert insert_line(LINE + b"\n" + LINE + b"\n", LINE, "nightly", MARK) == LINE + b"\n"


def test_jobs_and_libraries_have_lines_of_their_own() -> None:
    table = PAPER
    for job, mark in (("nightly", MARK), ("hourly", MARK), ("nightly", "ffffffffffff")):
        table = insert_line(table, render_line("0 5 * * *", COMMAND, job, mark), job, mark)
    assert table.count(b"windrow-job") == 3
    assert b"hourly" not in remove_line(table, "hourly", MARK)
    assert remove_line(table, "hourly", MARK).count(b"windrow-job nightly") == 2


def test_a_line_that_was_commented_out_is_not_ours() -> None:
    assert not has_line(b"# " + LINE + b"\n", "nightly", MARK)


@pytest.mark.parametrize(
    "folder", ["plain", "two words", "100%", "it's", 'a "b"', "$HOME `x` #1 ;&|<>*?", "ä\udcff"]
)
def test_any_path_reaches_the_command_as_it_is(folder: str) -> None:
    words = ["printf", r"%s|", folder, "schedule"] if "\\" not in folder else []
    line = render_line("0 5 * * *", words, "nightly", MARK)
    command = line.split(b" ", 5)[5].replace(rb"\%", b"%")  # as cron hands it over
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, check=True)
    assert done.stdout == folder.encode("utf-8", "surrogateescape") + b"|schedule|"


def test_no_bare_percent_is_left() -> None:
    line = render_line("0 5 * * *", ["x", "50% of 100%"], "nightly", MARK)
    assert line.count(b"%") == line.count(rb"\%") == 2
    assert shlex.split(line.decode().replace(r"\%", "%"), comments=True)[-1] == "50% of 100%"


@pytest.mark.parametrize("folder", ["two\nlines", "carriage\rreturn", "back\\slash", "x" * MAX_COMMAND_BYTES])
def test_a_path_that_a_crontab_cannot_hold_is_refused(folder: str) -> None:
    with pytest.raises(ConfigError) as caught:
        render_line("0 5 * * *", ["x", str(Path("/srv") / folder)], "nightly", MARK)
    assert caught.value.hint


def test_a_zone_set_for_the_whole_table_is_seen() -> None:
    assert sets_zone(PAPER) is None
    assert sets_zone(PAPER + b' CRON_TZ = "Asia/Tokyo"\n') == "Asia/Tokyo"
    assert sets_zone(b"#CRON_TZ=UTC\n") is None
