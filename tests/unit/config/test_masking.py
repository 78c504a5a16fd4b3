"""Secrets found in a text, however they are written, and addresses parted from theirs."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.config.library import ONE_SOURCE, make_library
from windrow.config.loader import load
from windrow.config.network_values import MASK, add_query, endpoint, mask_url, split_url
from windrow.config.secrets import Mask, mask_for

PASSWORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=4, max_size=20)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://a.example/oai", "http://a.example/oai"),
        ("http://u:p@a.example/oai", "http://********@a.example/oai"),
        ("http://:p@a.example/oai", "http://********@a.example/oai"),
        ("http://t0ken@a.example/oai", "http://********@a.example/oai"),
        ("http://u:p@q@a.example/oai", "http://********@a.example/oai"),
        ("u:p@a.example/oai?key=1", "********@a.example/oai?key=********"),
        ("http://a.example/me@home", "http://a.example/me@home"),
        ("http://a.example/oai?key=1&verb=Identify", "http://a.example/oai?key=********&verb=Identify"),
        ("http://a.example/oai?K3Y", "http://a.example/oai?********"),
        ("http://a.example?key=a@b", "http://a.example?key=********"),
        ("http://a.example/?v=1;key=2", "http://a.example/?v=********&key=********"),
        ("http://a.example/?%76erb=Identify&x%3D1=2", "http://a.example/?%76erb=Identify&x%3D1=********"),
    ],
)
def test_an_address_is_shown_without_credentials_and_without_unknown_parameters(url: str, shown: str) -> None:
    assert mask_url(url) == shown


def test_parameters_that_are_called_public_are_shown() -> None:
    assert mask_url("http://a.example/?c=1&key=2", {"c"}) == "http://a.example/?c=1&key=********"
    found = split_url("http://a.example/?c=1&key=2;d=3", {"c", "d"})
    assert (found.url, found.query) == ("http://a.example/?c=1&d=3", "key=2")


def test_an_address_and_its_secrets_make_the_same_request_as_before() -> None:
    found = split_url("http://u:p%40ss@[::1]:81/oai?key=a%2Fb+c&x&y=")
    assert found.url == "http://[::1]:81/oai"
    assert (found.username, found.password) == ("u", "p@ss")
    assert add_query(f"{found.url}?verb=Identify", found.query) == (
        "http://[::1]:81/oai?key=a%2Fb+c&x&y=&verb=Identify"
    )
    assert add_query(found.url, "") == found.url


def test_an_endpoint_changes_with_the_repository_and_with_nothing_else() -> None:
    plain = "http://a.example/oai"
    assert endpoint(plain) == endpoint("http://u:p@a.example/oai") == plain
    first = endpoint(f"{plain}?c=1&key=long-secret")
    assert first == endpoint(plain, "c=1&key=long-secret") == endpoint(f"{plain}?key=long-secret", "c=1")
    assert first not in (plain, endpoint(f"{plain}?c=2&key=long-secret"))
    assert "long-secret" not in first
    assert endpoint("urn:windrow:folder:x/") == "urn:windrow:folder:x/"


@given(PASSWORDS, st.sampled_from(["", "/", "/:@", "!'()*", ";,/?:@&=+$!'()*#"]))
def test_a_password_is_found_in_every_way_in_which_an_address_writes_it(password: str, safe: str) -> None:
    mask = Mask([password])
    assert password not in mask.text(f"<{password}>").replace("********", "")
    assert mask.text(f"http://host/?p={quote(password, safe=safe)}&x") == "http://host/?p=********&x"


@given(PASSWORDS)
def test_a_text_without_secrets_stays_as_it_is(text: str) -> None:
    assert Mask(["not-in-there-ever"]).text(text) == text


def test_credentials_of_any_address_are_hidden() -> None:
    words = "moved to https://someone:else@b.example/x, said <a href='ftp://t0ken@c.example/'>; me@home"
    assert Mask(()).text(words) == (
        "moved to https://********@b.example/x, said <a href='ftp://********@c.example/'>; me@home"
    )


JOB = '[jobs.nightly]\nevery = "daily"\n'


@pytest.mark.parametrize(
    ("lines", "environ"),
    [
        ('url = "https://u:s3cr3t@a.example/oai"', {}),
        ('url = "https://s3cr3t@a.example/oai"', {}),
        ('url = "https://a.example/oai?k=s3cr3t"', {}),
        ('url = "https://a.example/oai?s3cr3t"', {}),
        ('url = "https://a.example/oai"\nsecret_query = "k=s3cr3t"', {}),
        ('url = "https://a.example/s3cr3t/oai"\nsecret_path = "s3cr3t"', {}),
        ('url = "https://a.example/oai"\nproxy = "http://u:s3cr3t@p.example"', {}),
        ('url = "https://a.example/oai"', {"HTTPS_PROXY": "http://u:s3cr3t@p.example"}),
        ('url = "https://a.example/oai"', {"http_proxy": "u:s3cr3t@p.example:3128"}),
        ('url = "https://a.example/oai"', {"WINDROW_SOURCES_UNI_SECRET_QUERY": "k=s3cr3t"}),
        ('url = "https://a.example/oai"\nheaders = { Authorization = "Bearer s3cr3t" }', {}),
        ('url = "https://a.example/oai"\nheaders = { X-Key = "s3cr3t" }', {}),
        ('url = "https://a.example/oai"\nusername = "u"\npassword_env = "PW"', {"PW": "s3cr3t"}),
        (f'url = "https://a.example/oai"\n{JOB}run = "source check https://b.example/oai?k=s3cr3t"', {}),
        (
            f'url = "https://a.example/oai"\n{JOB}run = "harvest"\nbefore = ["curl", "https://u:s3cr3t@b.example"]',
            {},
        ),
        (
            f'url = "https://a.example/oai"\n{JOB}run = "harvest"\nafter = ["sh", "-c", "curl \'http://b.example/?s3cr3t\'"]',
            {},
        ),
        ('url = "https://a.example/oai"\n[notify]\ncommand = "tell --to=https://b.example/?k=s3cr3t"', {}),
        ('url = "https://a.example/oai"\nusername = "u"\npassword_env = "GONE"\nsecret_query="k=s3cr3t"', {}),
    ],
)
def test_every_place_for_a_secret_is_known(tmp_path: Path, lines: str, environ: dict[str, str]) -> None:
    config = load(make_library(tmp_path, f"[sources.uni]\n{lines}\n"), environ=environ)
    assert "s3cr3t" not in mask_for(config, environ).text("it said s3cr3t, s3cr3t-id and (s3cr3t)")


def test_the_parts_of_a_header_are_secret_as_well(tmp_path: Path) -> None:
    text = ONE_SOURCE + 'headers = { Cookie = "a=1; session=0123456789" }\n'
    mask = mask_for(load(make_library(tmp_path, text), environ={}), {})
    assert mask.text("session 0123456789 is over, a=1") == "session ******** is over, a=1"


def test_a_user_name_is_hidden_where_it_is_the_key_and_not_beside_a_password(
    tmp_path: Path,
) -> None:
    for lines, shown in (
        ('username = "reader-key"', "it knows ********"),
        ('username = "reader-key"\npassword = "sesame"', "it knows reader-key"),
        ('username = "reader-key"\npassword_env = "NOT_SET"', "it knows reader-key"),
    ):
        config = load(make_library(tmp_path, f"{ONE_SOURCE}{lines}\n"), environ={})
        assert mask_for(config, {}).text("it knows reader-key") == shown


def test_a_short_parameter_hides_nothing_but_itself(tmp_path: Path) -> None:
    text = ONE_SOURCE.replace("/oai", "/oai?v=2&format=xml")
    config = load(make_library(tmp_path, text), environ={})
    mask = mask_for(config, {})
    assert mask.text("2 pages of xml came") == "2 pages of xml came"


def test_friends_are_published_without_credentials(tmp_path: Path) -> None:
    text = '[oai]\nfriends = ["https://u:s3cr3t@a.example/oai?set=1"]\nbranding_link = "https://u:p@b.example/"\n'
    oai = load(make_library(tmp_path, text), environ={}).oai
    assert oai.friends == ("https://a.example/oai?set=1",)
    assert oai.branding_link == "https://b.example/"


def test_a_password_of_the_source_belongs_to_a_user_name_in_its_address(tmp_path: Path) -> None:
    text = (
        '[harvest]\nusername = "all"\npassword = "of-all"\n'
        '[sources.own]\nurl = "https://me@a.example/oai"\npassword = "mine"\n'
        '[sources.other]\nurl = "https://me@a.example/oai"\n'
    )
    sources = load(make_library(tmp_path, text), environ={}).sources
    assert (sources["own"].username, sources["own"].password) == ("me", "mine")
    assert (sources["other"].username, sources["other"].password) == ("me", None)


@pytest.mark.parametrize(
    "written",
    [
        r"p\u00e4ss\/w'rd&<1>+",  # PHP
        r"p\u00E4ss/w\u0027rd\u0026\u003C1\u003E\u002B",  # .NET
        r"päss/w'rd\u0026\u003c1\u003e+",  # Go
        "päss/w&#039;rd&amp;&lt;1&gt;+",
        "päss/w&#39;rd&amp;&lt;1&gt;+",
        "päss/w&apos;rd&amp;&lt;1&gt;+",
        "päss/w'rd&amp;&lt;1&gt;+",
    ],
)
def test_a_password_is_found_as_other_languages_write_it(written: str) -> None:
    assert Mask(["päss/w'rd&<1>+"]).text(f"<{written}>") == f"<{MASK}>"
