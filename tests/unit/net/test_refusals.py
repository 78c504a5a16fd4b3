"""Statuses that end a request, and what the person is told."""

from __future__ import annotations

import pytest

from tests.unit.net.conftest import Desk
from tests.unit.net.server import reply
from windrow.errors import HttpRefused
from windrow.net.faults import detect_wall


@pytest.mark.parametrize(
    ("status", "hint"),
    [
        ("401 X", "credentials"),
        ("403 X", "Credentials"),
        ("404 X", "address right"),
        ("410 X", "gone for good"),
        ("413 X", "too much"),
    ],
)
def test_a_refusal_says_what_to_do(desk: Desk, status: str, hint: str) -> None:
    server = desk.serve(reply(b"no", status))
    with pytest.raises(HttpRefused) as caught:
        desk.client().get(server.url.replace("http://", "http://u:secret@"))
    assert caught.value.status == int(status[:3])
    assert hint in caught.value.hint
    assert str(caught.value).startswith(f"{server.url}: HTTP {status[:3]} ")
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", ["204 X", "304 X", "599 X", "418 X", "799 X"])
def test_a_status_without_an_answer_is_a_refusal(desk: Desk, status: str) -> None:
    with pytest.raises(HttpRefused) as caught:
        desk.client().get(desk.serve(reply(b"", status)).url)
    assert caught.value.status == int(status[:3])


def test_a_failure_may_be_an_answer_at_any_status(desk: Desk) -> None:
    server = desk.serve(reply(b"<OAI-PMH/>", "422 X"))
    answer = desk.client().get(server.url, is_answer=lambda status, body: b"OAI-PMH" in body)
    assert (answer.status, answer.body) == (422, b"<OAI-PMH/>")


PAGE = b"<!DOCTYPE html><html><head><title>Just a moment...</title></head></html>"


def test_a_bot_wall_is_called_by_its_name(desk: Desk) -> None:
    with pytest.raises(HttpRefused, match=r"against robots \(Cloudflare\)") as caught:
        desk.client().get(desk.serve(reply(PAGE, "403 Forbidden")).url)
    assert "operators" in caught.value.hint


def test_a_wall_that_announces_itself_is_not_run_against_again(desk: Desk) -> None:
    server = desk.serve(reply(PAGE, "503 X", cf_mitigated="challenge"))
    with pytest.raises(HttpRefused, match="Cloudflare"):
        desk.client().get(server.url)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("body", "wall"),
    [
        (PAGE, "Cloudflare"),
        (b"<html><script src='/captcha.js'>", "a captcha"),
        (b"<html>Making sure you're not a bot!", "Anubis"),
        (b"<OAI-PMH><record>On captcha design</record>", None),
        (b"<html>Not found</html>", None),
        (b"", None),
    ],
)
def test_walls_are_told_from_records_that_speak_of_them(body: bytes, wall: str | None) -> None:
    assert detect_wall({}, body) == wall
