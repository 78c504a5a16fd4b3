"""Sources behind passwords, proxies and certificates."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.flows.harvesting import make_shelf, words
from tests.servers.fault import Fault
from tests.servers.faults.transport import RedirectTo
from tests.servers.http import Reply, Request, ScriptedServer
from tests.servers.items import make_items
from tests.servers.oai import OaiServer
from tests.servers.tls import make_certificate
from windrow.model.run import Outcome

SECRET = "opensesame"


@dataclass
class Guarded(Fault):
    """Only requests with this header get in."""

    name: str
    value: str

    def intercept(self, request: Request) -> Reply | None:
        if request.headers.get(self.name) == self.value:
            return None
        return Reply(401, b"who are you?", {"WWW-Authenticate": "Basic"}, content_type="text/plain")


def basic(name: str, password: str) -> str:
    return "Basic " + b64encode(f"{name}:{password}".encode()).decode()


def test_a_user_name_and_password_are_sent(tmp_path: Path) -> None:
    with OaiServer(make_items(25), Guarded("authorization", basic("anna", SECRET))) as server:
        shelf = make_shelf(tmp_path, server, username="anna", password=SECRET)
        assert shelf.harvest().outcome == Outcome.OK
        assert len(shelf.records()) == 25


def test_a_password_can_come_from_the_environment(tmp_path: Path) -> None:
    with OaiServer(make_items(25), Guarded("authorization", basic("anna", SECRET))) as server:
        shelf = make_shelf(tmp_path, server, username="anna", password_env="OAI_PASSWORD")
        shelf.environ = {"OAI_PASSWORD": SECRET}
        assert shelf.harvest().outcome == Outcome.OK


def test_a_header_of_one_s_own_is_sent(tmp_path: Path) -> None:
    with OaiServer(make_items(25), Guarded("x-api-key", SECRET)) as server:
        shelf = make_shelf(tmp_path, server, headers={"X-API-Key": SECRET})
        assert shelf.harvest().outcome == Outcome.OK


def test_without_credentials_the_run_says_what_lacks_and_a_wrong_password_is_never_shown(
    tmp_path: Path,
) -> None:
    with OaiServer(make_items(25), Guarded("authorization", "x")) as server:
        shelf = make_shelf(tmp_path, server, username="anna", password=SECRET)
        run = shelf.harvest()
    assert run.outcome == Outcome.FAILED
    assert "HTTP 401" in words(run)
    assert "It wants credentials" in words(run)
    assert SECRET not in words(run)
    assert len(server.requests) == 2


def test_a_proxy_is_gone_through(tmp_path: Path) -> None:
    with OaiServer(make_items(25)) as server:
        with ScriptedServer(server.handle) as proxy:
            shelf = make_shelf(tmp_path, "http://repository.invalid/oai", proxy=proxy.url)
            run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
        assert proxy.requests[0].target.startswith("http://repository.invalid/oai?verb=Identify")
        assert server.requests == []
    assert len(shelf.records()) == 25


def test_a_certificate_that_nobody_vouches_for_is_refused_with_a_hint(tmp_path: Path) -> None:
    certificate = make_certificate(tmp_path)
    with OaiServer(make_items(25), certificate=certificate) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.FAILED
        assert "certificate" in words(run)
        assert "ca_file" in words(run)
        assert server.requests == []


@pytest.mark.parametrize("is_verified", [True, False])
def test_a_certificate_is_accepted_by_its_authority_or_unseen(tmp_path: Path, is_verified: bool) -> None:
    certificate = make_certificate(tmp_path)
    trust = {"ca_file": str(certificate.chain)} if is_verified else {"verify_tls": False}
    with OaiServer(make_items(25), certificate=certificate) as server:
        shelf = make_shelf(tmp_path, server, **trust)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
        assert len(shelf.records()) == 25


def test_a_repository_that_moved_to_https_is_followed_reported_and_taken_over(tmp_path: Path) -> None:
    certificate = make_certificate(tmp_path)
    with OaiServer(make_items(25), certificate=certificate) as secure:
        moved = RedirectTo(secure.url, 301)
        with OaiServer(make_items(25), moved) as plain:
            shelf = make_shelf(tmp_path, plain, ca_file=str(certificate.chain))
            run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
        assert f"windrow source edit test --url {secure.url}" in words(run)
        shelf.change(url=secure.url)
        secure.requests.clear()
        assert shelf.harvest().outcome == Outcome.OK
        assert len(secure.requests) == 2, "what is new and the size of the list, not everything again"


def test_a_redirect_from_https_down_to_http_is_not_followed(tmp_path: Path) -> None:
    certificate = make_certificate(tmp_path)
    with OaiServer(make_items(25)) as plain:
        down = RedirectTo(plain.url, 301)
        with OaiServer(make_items(25), down, certificate=certificate) as secure:
            run = make_shelf(tmp_path, secure, ca_file=str(certificate.chain)).harvest()
        assert plain.requests == []
    assert run.outcome == Outcome.FAILED
    assert "which anyone could read" in words(run)
