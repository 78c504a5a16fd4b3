from __future__ import annotations

import base64
import gzip
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest
import zstandard

from tests.servers.asgi import WAIT_SECONDS, AsgiServer
from tests.unit.web.stage import BROWSER, Pairs, Repository, staged
from windrow.demo.thesis_repository import Repository as Demo
from windrow.web.app import ServerOptions

IDENTIFY = "/oai?verb=Identify"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
RECORDS = [("verb", "ListRecords"), ("metadataPrefix", "oai_dc")]


def test_the_answer_of_the_repository_goes_out_as_it_is() -> None:
    repository = Repository()
    with staged(repository) as server:
        got = server.ask(IDENTIFY)
    assert got.status == 200
    assert got.body == repository.demo.answer([("verb", "Identify")])
    assert got.headers["content-type"] == "text/xml; charset=utf-8"
    assert got.headers["vary"] == "accept, accept-encoding"
    assert got.headers["cache-control"] == "no-cache"
    assert got.headers["content-length"] == str(len(got.body))
    assert "etag" not in got.headers
    assert "last-modified" not in got.headers


@pytest.mark.parametrize(
    ("path", "name"),
    [("/oai", ""), ("/oai/", ""), ("/oai/demo", "demo"), ("/oai/demo/", "demo"), ("/oai/d%65mo", "demo")],
)
def test_the_path_says_which_repository(path: str, name: str) -> None:
    repository = Repository()
    with staged(repository) as server:
        assert server.ask(f"{path}?verb=Identify").status == 200
    assert repository.asked == [(name, [("verb", "Identify")], None)]


@pytest.mark.parametrize(
    "path", ["/oai/other", "/oai/demo/more", "/oai/..%2fdemo", "/oai/-/nothing", "/oaix"]
)
def test_where_no_repository_is_there_is_nothing(path: str) -> None:
    with staged() as server:
        assert server.ask(f"{path}?verb=Identify").status == 404


def test_head_has_the_headers_of_get_and_no_body() -> None:
    with staged() as server:
        got, head = server.ask(IDENTIFY), server.ask(IDENTIFY, "HEAD")
    assert (head.status, head.body) == (200, b"")
    assert {**head.headers, "date": ""} == {**got.headers, "date": ""}


def test_a_form_sent_by_post_is_the_same_request() -> None:
    with staged() as server:
        got = server.ask("/oai", "POST", body=b"verb=Identify", headers=FORM)
        assert got.body == server.ask(IDENTIFY).body


def test_what_stands_in_the_query_of_a_post_counts_with_its_body() -> None:
    repository = Repository()
    with staged(repository) as server:
        server.ask(IDENTIFY, "POST", body=b"verb=Identify&set=a+b", headers=FORM)
    assert repository.asked[0][1] == [("verb", "Identify"), ("verb", "Identify"), ("set", "a b")]


def test_a_post_without_a_body_has_the_arguments_of_its_query() -> None:
    with staged() as server:
        assert b"<Identify>" in server.ask(IDENTIFY, "POST").body


@pytest.mark.parametrize(
    "kind",
    [
        "application/json",
        "text/plain",
        "multipart/form-data; boundary=x",
        f"{FORM['Content-Type']}; charset=utf-16",
    ],
)
def test_a_post_in_another_form_is_refused_in_words(kind: str) -> None:
    with staged() as server:
        got = server.ask("/oai", "POST", body=b"verb=Identify", headers={"Content-Type": kind})
    assert got.status == 415
    assert "application/x-www-form-urlencoded" in got.text


@pytest.mark.parametrize("charset", ["utf-8", "UTF-8", '"utf-8"', "us-ascii"])
def test_a_post_may_say_that_it_is_utf8(charset: str) -> None:
    with staged() as server:
        kind = f"{FORM['Content-Type']}; charset={charset}"
        assert server.ask("/oai", "POST", body=b"verb=Identify", headers={"Content-Type": kind}).status == 200


def test_a_body_without_end_is_refused() -> None:
    with staged() as server:
        assert server.ask("/oai", "POST", body=b"a" * 65_536, headers=FORM).status == 200
        assert server.ask("/oai", "POST", body=b"a" * 65_537, headers=FORM).status == 413


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS"])
def test_other_methods_are_refused_with_those_that_are_not(method: str) -> None:
    with staged() as server:
        got = server.ask(IDENTIFY, method)
    assert got.status == 405
    assert got.headers["allow"] == "GET, HEAD, POST"


def test_an_endless_query_is_refused() -> None:
    with staged() as server:
        assert server.ask(f"{IDENTIFY}&set={'a' * 20_000}").status == 414
        assert server.ask(f"{IDENTIFY}{'&a=b' * 100}").status == 414


def test_credentials_are_handed_on_and_the_answer_is_theirs_alone() -> None:
    repository = Repository()
    token = base64.b64encode("Åsa:pass:word".encode()).decode()
    with staged(repository) as server:
        got = server.ask(IDENTIFY, headers={"Authorization": f"Basic {token}"})
    assert repository.asked[0][2] == ("Åsa", "pass:word")
    assert got.headers["cache-control"] == "private, no-store"


@pytest.mark.parametrize("header", ["Bearer abc", "Basic !!", "Basic", "Basic YQ==", "Digest x"])
def test_credentials_that_make_no_sense_are_none(header: str) -> None:
    repository = Repository()
    with staged(repository) as server:
        server.ask(IDENTIFY, headers={"Authorization": header})
    assert repository.asked[0][2] is None


def test_a_slow_answer_is_made_aside() -> None:
    repository = Repository()
    with staged(repository) as server:
        server.ask(IDENTIFY)
        repository.is_always_slow = True
        server.ask(IDENTIFY)
    inline, aside = repository.threads
    assert inline != aside


@pytest.mark.parametrize(
    ("clients", "headers"),
    [
        pytest.param(range(1, 41), BROWSER, id="pages of many browsers"),
        pytest.param([1] * 16, {}, id="lists of one harvester"),
    ],
)
def test_a_list_does_not_wait_for(clients: Sequence[int], headers: Mapping[str, str]) -> None:
    begun, gate = threading.Semaphore(0), threading.Event()

    def say(pairs: Pairs) -> bytes:
        if ("set", "held") in pairs:
            begun.release()
            assert gate.wait(WAIT_SECONDS)
        return Demo(120, page_size=20).answer(RECORDS)

    def ask(client: int, path: str, headers: Mapping[str, str]) -> int:
        sent = {"X-Forwarded-For": f"203.0.113.{client}", **headers}
        return server.ask(path, headers=sent).status

    path = "/oai?verb=ListRecords&metadataPrefix=oai_dc"
    with (
        staged(Repository(say=say, is_always_slow=True)) as server,
        ThreadPoolExecutor(len(clients) + 1) as people,
    ):
        try:
            held = [people.submit(ask, client, f"{path}&set=held", headers) for client in clients]
            assert begun.acquire(timeout=WAIT_SECONDS)
            assert people.submit(ask, 99, path, {}).result(WAIT_SECONDS) == 200
        finally:
            gate.set()
        assert [each.result(WAIT_SECONDS) for each in held] == [200] * len(clients)


def _list(server: AsgiServer, accepted: str) -> tuple[bytes, str | None]:
    got = server.ask("/oai?verb=ListRecords&metadataPrefix=oai_dc", headers={"Accept-Encoding": accepted})
    return got.body, got.headers.get("content-encoding")


def test_answers_are_compressed_for_those_who_ask() -> None:
    plain = Demo(120, page_size=20).answer(RECORDS)
    with staged() as server:
        for accepted in ("gzip", "gzip, deflate", "zstd;q=0.5, gzip"):
            body, encoding = _list(server, accepted)
            assert encoding == "gzip"
            assert gzip.decompress(body) == plain
        body, encoding = _list(server, "gzip, zstd")
        assert encoding == "zstd"
        assert zstandard.ZstdDecompressor().decompress(body) == plain
        assert _list(server, "identity") == (plain, None)
        assert _list(server, "gzip;q=0") == (plain, None)
        assert len(body) < len(plain) / 3


def test_nothing_is_compressed_where_the_settings_say_so() -> None:
    with staged(manners=ServerOptions(is_compressing=False)) as server:
        assert _list(server, "gzip")[1] is None


@pytest.mark.parametrize(
    "accept", ["", "*/*", "text/xml", "application/xml", "text/xml, text/html", "text/*"]
)
def test_harvesters_get_xml(accept: str) -> None:
    with staged() as server:
        got = server.ask(IDENTIFY, headers={"Accept": accept} if accept else {})
    assert got.headers["content-type"].startswith("text/xml")


def test_browsers_get_a_page_at_the_same_address() -> None:
    with staged() as server:
        got = server.ask(IDENTIFY, headers=BROWSER)
    assert got.headers["content-type"] == "text/html; charset=utf-8"
    assert "Windrow demo: invented theses</h1>" in got.text
    assert "default-src 'none'" in got.headers["content-security-policy"]
    assert got.headers["x-robots-tag"] == "noindex"


def test_xml_can_be_had_in_a_browser_beside_the_base_url() -> None:
    repository = Repository()
    with staged(repository) as server:
        got = server.ask("/oai/-/xml/demo?verb=Identify", headers=BROWSER)
    assert got.body == repository.demo.answer([("verb", "Identify")])
    assert repository.asked[0][0] == "demo"
    assert got.headers["x-robots-tag"] == "noindex"


def test_xml_cannot_run_scripts_in_a_browser() -> None:
    with staged() as server:
        policy = server.ask(IDENTIFY).headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "sandbox" in policy
    assert "script-src" not in policy


def test_a_form_leads_to_its_request_without_the_empty_fields() -> None:
    asked = f"verb=ListRecords&metadataPrefix=oai_dc&set=&from=2020-01-01&until=&set={quote('a:b')}"
    with staged(path="/windrow") as server:
        got = server.ask(f"/oai/-/go/demo?{asked}")
    assert got.status == 303
    wanted = "/windrow/oai/demo?verb=ListRecords&metadataPrefix=oai_dc&from=2020-01-01&set=a%3Ab"
    assert got.headers["location"] == wanted


def test_a_form_cannot_lead_elsewhere() -> None:
    with staged() as server:
        for path in (
            "/oai/-/go//evil.example",
            "/oai/-/go/%2f%2fevil.example/x",
            "/oai/-/go/%0d%0aSet-Cookie:a",
        ):
            location = server.ask(f"{path}?verb=Identify").headers["location"]
            assert location.startswith("/oai/")
