from __future__ import annotations

import pytest

from tests.cli.sourcing import Cli


@pytest.mark.parametrize("proxy", ["nginx", "apache"])
def test_the_lines_for_a_web_server_follow_the_settings(cli: Cli, proxy: str) -> None:
    result = cli(
        "serve", "--print-config", proxy, "--port", "8123", "--host", "0.0.0.0", "--url", "https://a.example"
    )
    assert result.code == 0
    assert "http://127.0.0.1:8123" in result.out
    assert "# OAI-PMH: https://a.example/oai" in result.out
    assert "/oai" in result.out
    assert "#   Sitemap: https://a.example/sitemap.xml" in result.out


def test_without_a_public_address_the_lines_name_our_own(cli: Cli) -> None:
    assert "http://127.0.0.1:8000/oai" in cli("serve", "--print-config", "nginx").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--port", "70000"), "--port must be a whole number from 0 to 65535"),
        (("--workers", "0"), "--workers must be a whole number"),
        (("--host", "a b"), "--host must be a host name or an IP address"),
        (("--url", "a.example"), "--url must be an address that begins with http"),
        (("--url", "https://a.example/oai"), "the paths of its pages, such as /oai, are added"),
        (("--access-log", "nowhere/access.log"), "nowhere/access.log cannot be written"),
        (("--host", "192.0.2.1"), "cannot listen at 192.0.2.1"),
        (("--host", "nobody.invalid"), "nobody.invalid is no address of this machine"),
    ],
)
def test_what_cannot_be_is_told_before_anything_is_served(
    cli: Cli, words: tuple[str, ...], said: str
) -> None:
    result = cli("serve", "--port", "0", *words)
    assert result.code in (1, 2)
    assert said in result.words


def test_a_library_whose_store_is_missing_is_not_served(cli: Cli) -> None:
    (cli.folder / "windrow.db").unlink()
    result = cli("serve", "--port", "0")
    assert result.code == 1
    assert "there is no windrow.db" in result.words
