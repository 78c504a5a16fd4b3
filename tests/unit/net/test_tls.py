"""TLS: trusted, not trusted, not TLS at all."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from tests.servers.tls import Certificate
from tests.unit.net.conftest import Desk
from tests.unit.net.server import reply
from windrow.errors import ConfigError, Unreachable


def test_a_certificate_of_ones_own_authority_is_trusted(
    desk: Desk, tls: ssl.SSLContext, certificate: Certificate
) -> None:
    server = desk.serve(reply(b"<safe/>"), tls=tls)
    client = desk.client(ca_file=str(certificate.chain))
    assert client.get(server.url).body == b"<safe/>"
    client.get(server.url)
    assert server.connections == 1


def test_an_unknown_certificate_is_not_tried_again(desk: Desk, tls: ssl.SSLContext) -> None:
    server = desk.serve(reply(), tls=tls)
    with pytest.raises(Unreachable, match="certificate is not trusted") as caught:
        desk.client().get(server.url)
    assert "ca_file" in caught.value.hint
    assert "verify_tls" in caught.value.hint
    assert (server.requests, desk.slept) == ([], [])


def test_a_certificate_of_another_name_is_not_trusted(
    desk: Desk, tls: ssl.SSLContext, certificate: Certificate
) -> None:
    server = desk.serve(reply(), tls=tls)
    with pytest.raises(Unreachable, match="certificate is not trusted"):
        desk.client(ca_file=str(certificate.chain)).get(server.url.replace("127.0.0.1", "localhost"))
    assert server.requests == []


def test_verification_can_be_switched_off(desk: Desk, tls: ssl.SSLContext) -> None:
    assert desk.client(verify_tls=False).get(desk.serve(reply(b"<r/>"), tls=tls).url).body == b"<r/>"


def test_a_server_without_tls_is_not_tried_again(desk: Desk) -> None:
    server = desk.serve(reply(), greeting=b"HTTP/1.1 400 Bad Request\r\n\r\n")
    with pytest.raises(Unreachable, match="TLS failed"):
        desk.client().get(server.url.replace("http://", "https://"))
    assert desk.slept == []


def test_an_authority_that_cannot_be_read_is_a_mistake_of_the_configuration(
    desk: Desk, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match="ca_file"):
        desk.client(ca_file=str(tmp_path / "none.pem")).get("https://127.0.0.1:1/")
