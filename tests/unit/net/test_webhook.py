"""JSON posted to a real HTTP server on loopback."""

from __future__ import annotations

import hashlib
import hmac

import pytest

from tests.servers.http import Reply, Request, ScriptedServer
from windrow.errors import Undelivered
from windrow.net.webhook import MAX_WEBHOOK_REDIRECTS, SIGNATURE, Webhook, post_json, sign

BODY = b'{"text": "Theses: nightly failed"}'
KEY = "/services/T0/very-secret-key"


def _taking(_: Request) -> Reply:
    return Reply(204)


def test_a_body_is_posted_as_json_and_signed() -> None:
    with ScriptedServer(_taking, path=KEY) as server:
        post_json(Webhook(server.url, "shared words", contact="ada@library.example"), BODY)
    (request,) = server.requests
    assert (request.method, request.target, request.body) == ("POST", KEY, BODY)
    assert request.headers["content-type"] == "application/json"
    assert request.headers["user-agent"].endswith("(+ada@library.example)")
    digest = hmac.new(b"shared words", BODY, hashlib.sha256).hexdigest()
    assert request.headers[SIGNATURE.lower()] == f"sha256={digest}"


def test_without_a_secret_nothing_is_signed() -> None:
    with ScriptedServer(_taking) as server:
        post_json(Webhook(server.url), BODY)
    assert SIGNATURE.lower() not in server.requests[0].headers


def test_another_body_or_secret_has_another_signature() -> None:
    assert len({sign(BODY, "a"), sign(BODY, "b"), sign(BODY + b" ", "a")}) == 3


def test_a_user_name_in_the_address_is_sent_as_credentials() -> None:
    with ScriptedServer(_taking) as server:
        post_json(Webhook(server.url.replace("http://", "http://ada:words@")), BODY)
    assert server.requests[0].headers["authorization"].startswith("Basic ")


@pytest.mark.parametrize("status", [302, 400, 404, 500, 503])
def test_any_answer_but_a_good_one_is_told_without_the_address(status: int) -> None:
    with (
        ScriptedServer(lambda _: Reply(status, b"no"), path=KEY) as server,
        pytest.raises(Undelivered) as caught,
    ):
        post_json(Webhook(server.url), BODY)
    assert str(caught.value) == f"the webhook at 127.0.0.1:{server_port(server)} answered HTTP {status}"
    assert len(server.requests) == 1


def server_port(server: ScriptedServer) -> str:
    """The port, of a server that may have stopped."""
    return server.requests[0].headers["host"].rpartition(":")[2]


def test_a_redirect_on_the_same_server_is_followed_with_the_body() -> None:
    def handle(request: Request) -> Reply:
        return Reply(308, headers={"Location": "/new"}) if request.path == "/old" else Reply(200, b"ok")

    with ScriptedServer(handle, path="/old") as server:
        post_json(Webhook(server.url), BODY)
    assert [(each.path, each.method, each.body) for each in server.requests] == [
        ("/old", "POST", BODY),
        ("/new", "POST", BODY),
    ]


def test_a_redirect_to_another_server_is_not_followed() -> None:
    with (
        ScriptedServer(_taking) as other,
        ScriptedServer(lambda _: Reply(307, headers={"Location": other.url})) as server,
        pytest.raises(Undelivered, match="where nothing is sent"),
    ):
        post_json(Webhook(server.url), BODY)
    assert not other.requests


def test_redirects_without_end_are_given_up() -> None:
    with (
        ScriptedServer(lambda _: Reply(307, headers={"Location": "/again"})) as server,
        pytest.raises(Undelivered, match="redirects more than"),
    ):
        post_json(Webhook(server.url), BODY)
    assert len(server.requests) == MAX_WEBHOOK_REDIRECTS + 1


def test_an_answer_without_end_is_not_read_to_it() -> None:
    with (
        ScriptedServer(lambda _: Reply(200, b"x" * 5_000_000)) as server,
        pytest.raises(Undelivered, match="too much"),
    ):
        post_json(Webhook(server.url, timeout_seconds=30), BODY)


def test_silence_ends_at_the_time_limit() -> None:
    with (
        ScriptedServer(lambda _: Reply(never_answer=True)) as server,
        pytest.raises(Undelivered, match=r"no answer within|not whole after"),
    ):
        post_json(Webhook(server.url, timeout_seconds=0.2), BODY)


def test_no_words_about_a_webhook_have_its_address_in_them() -> None:
    with ScriptedServer(_taking, path=KEY) as server:
        url = server.url
    with pytest.raises(Undelivered) as caught:
        post_json(Webhook(url, "signing words"), BODY)
    assert "secret-key" not in f"{caught.value} {caught.value.hint} {Webhook(url, 'signing words')!r}"
    with pytest.raises(Undelivered) as caught:
        post_json(Webhook("gopher://host/secret-key"), BODY)
    assert "secret-key" not in str(caught.value)
