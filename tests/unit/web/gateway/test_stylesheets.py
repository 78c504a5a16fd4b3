"""Stylesheets of the library and of Windrow: found at once, confined, and never the end of a page."""

from __future__ import annotations

import html
import logging
import os
import re
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.search.catalogue import Catalogue
from tests.unit.web.gateway.getrecord_stage import Desk, sheet, whole
from windrow.web.gateway import xslt_transform
from windrow.web.gateway.stylesheets import MAX_STYLESHEET_BYTES, STYLESHEET_LABELS, Stylesheets
from windrow.web.gateway.xslt_transform import InvalidStylesheet, StylesheetCache, sanitise
from windrow.web.i18n.translation import PAGE_LANGUAGES

SHIPPED = Path(xslt_transform.__file__).with_name("xslt")
NAMES = sorted(path.stem for path in SHIPPED.glob("*.xsl"))
RECURSION = (
    whole('<xsl:call-template name="x"/>')
    + '<xsl:template name="x"><xsl:call-template name="x"/></xsl:template>'
)
LOOP = (
    whole('<xsl:call-template name="x"><xsl:with-param name="n" select="60"/></xsl:call-template>')
    + '<xsl:template name="x"><xsl:param name="n"/><xsl:if test="$n &gt; 0">'
    + '<xsl:call-template name="x"><xsl:with-param name="n" select="$n - 1"/></xsl:call-template>' * 2
    + "</xsl:if></xsl:template>"
)
EXPLOSION = (
    whole('<xsl:call-template name="x"><xsl:with-param name="t" select="\'haystack\'"/></xsl:call-template>')
    + '<xsl:template name="x"><xsl:param name="t"/><xsl:value-of select="$t"/><xsl:call-template name="x">'
    '<xsl:with-param name="t" select="concat($t, $t)"/></xsl:call-template></xsl:template>'
)


@pytest.fixture
def listener() -> Iterator[tuple[int, list[object]]]:
    """A port of this machine, and who came to it."""
    came: list[object] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept() -> None:
            try:
                while True:
                    visitor, address = server.accept()
                    came.append(address)
                    visitor.close()
            except OSError:
                return

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield server.getsockname()[1], came
        server.shutdown(socket.SHUT_RDWR)
        thread.join(10)


def test_a_stylesheet_changes_the_page_at_once_and_its_removal_changes_it_back(
    shelved: Catalogue, desk: Desk
) -> None:
    shelved.add("oai:a", title="Hay")
    usual = desk.ask("oai:a")
    path = desk.drop(
        "oai_dc.xsl", whole("<h2>Mine: <xsl:value-of select=\"//*[local-name() = 'title']\"/></h2>")
    )
    assert desk.page("oai:a").texts("//h2") == ["Mine: Hay"]
    desk.drop("oai_dc.xsl", whole("<h2>Other</h2>"))
    assert desk.page("oai:a").texts("//h2") == ["Other"]
    path.unlink()
    again = desk.ask("oai:a")
    assert (again.body, again.headers["etag"]) == (usual.body, usual.headers["etag"])


def test_a_stylesheet_is_noticed_that_has_the_date_and_the_size_of_the_one_before(
    shelved: Catalogue, desk: Desk
) -> None:
    shelved.add("oai:a", title="Hay")
    path = desk.drop("oai_dc.xsl", whole("<p>Mine</p>"))
    os.utime(path, (1_000_000, 1_000_000))
    assert "Mine" in desk.page("oai:a").words
    desk.drop("oai_dc.xsl", whole("<p>Ours</p>"))
    os.utime(path, (1_000_000, 1_000_000))
    assert "Ours" in desk.page("oai:a").words


def test_a_stylesheet_shows_only_its_own_format(shelved: Catalogue, desk: Desk) -> None:
    shelved.add("oai:a", title="Hay")
    desk.drop("other.xsl", whole("<h2>Mine</h2>"))
    assert desk.page("oai:a").texts("//h2") == []


def test_a_stylesheet_can_build_on_ours(shelved: Catalogue, desk: Desk) -> None:
    shelved.add("oai:a", prefix="other", payload=b"<a><b>one</b><c>two</c></a>")
    desk.drop(
        "other.xsl",
        '<xsl:import href="windrow:default.xsl"/><xsl:template match="b" mode="name">Bee</xsl:template>',
    )
    assert desk.page("oai:a", "other").texts("//dl[@class='payload']/dt") == ["Bee", "c"]


def test_a_stylesheet_is_told_what_it_shows(shelved: Catalogue, desk: Desk) -> None:
    shelved.add("oai:'\"", title="Hay")
    told = "".join(f'<xsl:param name="{name}"/>' for name in ("language", "format", "identifier"))
    desk.drop(
        "oai_dc.xsl", told + whole('<p><xsl:value-of select="concat($language, $format, $identifier)"/></p>')
    )
    assert desk.page("oai:'\"").texts("//div[@class='styled']/p") == ["enoai_dcoai:'\""]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("<xsl:include href='file:///etc/passwd'/>", "is not used: it reads or writes"),
        ("<xsl:import href='other.xsl'/>", "is not used: it reads or writes"),
        ("<xsl:import href='windrow:../../x.xsl'/>", "is not used"),
        (whole("<xsl:document href='written.txt'>x</xsl:document>"), "is not used: it reads or writes"),
        (whole("<xsl:value-of select='nothing('/>"), "cannot show oai:a"),
        (whole("<xsl:value-of select='nothing()'/>"), "cannot show oai:a"),
        (whole("<xsl:message terminate='yes'>stop</xsl:message>"), "cannot show oai:a"),
        (RECURSION, "infinite template recursion"),
        (EXPLOSION, "cannot show oai:a"),
        (LOOP, "takes too much time or memory"),
    ],
    ids=[
        "include",
        "import",
        "ours",
        "document",
        "syntax",
        "function",
        "end",
        "recursion",
        "explosion",
        "loop",
    ],
)
def test_a_stylesheet_that_fails_costs_one_page_its_looks_and_the_log_says_why(
    shelved: Catalogue, desk: Desk, body: str, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    shelved.add("oai:a", prefix="other", payload=b"<a><b>one</b></a>")
    shelved.add("oai:b", title="Hay")
    desk.drop("other.xsl", body)
    with caplog.at_level(logging.WARNING, "windrow.gateway"):
        page = desk.page("oai:a", "other")
        assert page.texts("//dl[@class='payload']/dd") == ["one"]
        assert "xslt/other.xsl" in caplog.text
        assert reason in caplog.text
        caplog.clear()
        desk.ask("oai:a", "other")
    assert not caplog.records  # told once; nor is it tried again
    assert "etag" not in page.got.headers
    assert desk.page("oai:b").texts("//dl[@class='payload']/dd") == ["Hay"]


@pytest.mark.parametrize(
    "scheme", ["http://127.0.0.1:{port}/", "ftp://127.0.0.1:{port}/", "//127.0.0.1:{port}/"]
)
@pytest.mark.parametrize("way", ["<xsl:copy-of select=\"document('{}')\"/>", "{{include}}", "{{import}}"])
def test_no_stylesheet_reaches_the_network(
    shelved: Catalogue, desk: Desk, listener: tuple[int, list[object]], scheme: str, way: str
) -> None:
    port, came = listener
    address = scheme.format(port=port)
    body = way.format(address)
    named = re.fullmatch(r"\{(\w+)\}", body)
    shelved.add("oai:a", prefix="other", payload=b"<a><b>one</b></a>")
    desk.drop("other.xsl", f'<xsl:{named[1]} href="{address}"/>' if named else whole(body))
    assert desk.page("oai:a", "other").texts("//dl[@class='payload']/dd") == ["one"]
    assert not came


@pytest.mark.parametrize("spelling", ["{}", "file://{}", "file:{}"])
def test_no_stylesheet_reads_a_file(shelved: Catalogue, desk: Desk, tmp_path: Path, spelling: str) -> None:
    secret = tmp_path / "secret.xml"
    secret.write_text("<a>the secret</a>", encoding="utf-8")
    shelved.add("oai:a", prefix="other", payload=b"<a><b>one</b></a>")
    read = spelling.format(secret)
    desk.drop("other.xsl", whole(f"<p>It says <xsl:value-of select=\"document('{read}')\"/></p>"))
    assert b"the secret" not in desk.ask("oai:a", "other").body


@pytest.mark.parametrize(
    "namespace",
    ["http://exslt.org/common", "http://icl.com/saxon", "org.apache.xalan.xslt.extensions.Redirect"],
)
def test_no_stylesheet_writes_a_file(shelved: Catalogue, desk: Desk, tmp_path: Path, namespace: str) -> None:
    target = tmp_path / "written.txt"
    shelved.add("oai:a", prefix="other", payload=b"<a><b>one</b></a>")
    written = "".join(
        f'<e:{name} href="{target}" file="{target}">x</e:{name}>' for name in ("document", "output", "write")
    )
    desk.drop("other.xsl", whole(written), declared=f'xmlns:e="{namespace}" extension-element-prefixes="e"')
    assert desk.page("oai:a", "other").texts("//dl[@class='payload']/dd") == ["one"]
    assert not target.exists()


def test_a_stylesheet_with_entities_is_refused() -> None:
    text = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>' + sheet(whole("<p>&e;</p>"))
    with pytest.raises(InvalidStylesheet, match="document type"):
        StylesheetCache().make(b"<a/>", "other", text.encode(), "en", "")


@pytest.mark.parametrize(("name", "problem"), [("large", "more than"), ("folder", "not a file")])
def test_a_stylesheet_that_cannot_be_read_has_a_problem(tmp_path: Path, name: str, problem: str) -> None:
    folder = tmp_path / "xslt"
    folder.mkdir()
    (folder / "large.xsl").write_bytes(b" " * (MAX_STYLESHEET_BYTES + 1))
    (folder / "folder.xsl").mkdir()
    found = Stylesheets(tmp_path).find(name)
    assert found is not None
    assert (found.text, problem in found.problem) == (b"", True)


@pytest.mark.parametrize(
    "prefix", ["../outside", "..", ".", "", "a/b", "a\\b", "a\0b", "/etc/x", "%2e", "a" * 400]
)
def test_only_plain_names_are_looked_for(tmp_path: Path, prefix: str) -> None:
    (tmp_path / "outside.xsl").write_bytes(b"x")
    (tmp_path / "xslt" / "a").mkdir(parents=True)
    (tmp_path / "xslt" / "a" / "b.xsl").write_bytes(b"x")
    (tmp_path / "xslt" / ".xsl").write_bytes(b"x")
    assert Stylesheets(tmp_path).find(prefix) is None


def test_what_our_stylesheets_say_is_what_is_translated() -> None:
    said = {
        words
        for path in SHIPPED.glob("*.xsl")
        for words in re.findall(r"<w:say>(.*?)</w:say>", path.read_text(encoding="utf-8"))
    }
    assert said == set(STYLESHEET_LABELS)


@pytest.mark.parametrize("language", list(PAGE_LANGUAGES))
@pytest.mark.parametrize("name", NAMES)
def test_every_stylesheet_of_ours_can_be_used_by_that_of_a_library(name: str, language: str) -> None:
    own = sheet(f'<xsl:import href="windrow:{name}.xsl"/>').encode()
    made = StylesheetCache().make(b"<a><title>Hay</title></a>", "other", own, language, "")
    assert "Hay" in made
    assert "w:say" not in made


@pytest.mark.parametrize(
    ("markup", "left"),
    [
        ("<p onclick='x' style='y' id='z' class='payload evil'>t</p>", '<p class="payload">t</p>'),
        ("<script>x</script><style>y</style><title>z</title>w", "w"),
        (
            "<a href='mailto:a@b.example'>m</a>",
            '<a href="mailto:a@b.example" rel="noreferrer nofollow">m</a>',
        ),
        ("<a href='/status'>t</a>", '<a rel="noreferrer nofollow">t</a>'),
        ("<img src='http://x.example/'><svg><g>x</g></svg><iframe src='x'></iframe>t", "t"),
        ("<td colspan='9999'>t</td>", "t"),
        (
            "<table><tbody><tr><td colspan='2000'>t</td></tr></tbody></table>",
            "<table><tbody><tr><td>t</td></tr></tbody></table>",
        ),
        ("<p lang='fi' dir='rtl'>t\x9f</p>", '<p lang="fi" dir="rtl">t</p>'),
    ],
)
def test_markup_is_reduced_to_what_people_read(markup: str, left: str) -> None:
    assert sanitise(markup) == left


def test_a_word_without_end_may_be_broken_and_says_the_same() -> None:
    address = "https://hay.example/" + "x" * 700
    made = sanitise(f'<p>short <a href="{address}">{"&amp;<b>é</b>" * 50}</a> {"&amp;A" * 400}</p>')
    assert f'href="{address}"' in made
    assert max(map(len, re.split(r"\s|<[^>]*>", html.unescape(re.sub("<wbr>", " ", made))))) <= 100
    assert html.unescape(re.sub("<[^>]*>", "", made)) == f"short {'&é' * 50} {'&A' * 400}"


def test_words_that_end_are_left_alone() -> None:
    assert sanitise(f"<p>{'x' * 499} {'y' * 499}</p>") == f"<p>{'x' * 499} {'y' * 499}</p>"
