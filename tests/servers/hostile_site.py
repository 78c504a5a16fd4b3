"""A web site that does to a robot what web sites do: traps, faults and lies, each under a path of its own.

`TRAPS` names each path with what a crawl has to make of it: the outcome that the frontier keeps for the
address, or a problem that the run reports. Good pages come last, so that a crawl which gives up is noticed.
"""

from __future__ import annotations

import asyncio
import gzip
import itertools
import json
import struct
import zlib
from collections.abc import Awaitable, Callable, Collection

from tests.servers.website import Asked, Reply, Website, page, redirect

HTML = ("Content-Type", "text/html")
_count = itertools.count()


def html(body: str | bytes, *headers: tuple[str, str], kind: str = "text/html") -> Reply:
    return Reply(body.encode() if isinstance(body, str) else body, 200, (("Content-Type", kind), *headers))


def head(length: int | None = None, extra: str = "") -> bytes:
    size = f"Content-Length: {length}\r\n" if length is not None else ""
    return f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{size}{extra}\r\n".encode()


async def slow_body(writer: asyncio.StreamWriter, _: Asked) -> None:
    writer.write(head(100_000))
    for _number in range(200):
        writer.write(b"<p>x</p>")
        await writer.drain()
        await asyncio.sleep(0.2)


async def slow_headers(writer: asyncio.StreamWriter, _: Asked) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n")
    for number in range(200):
        writer.write(f"X-{number}: y\r\n".encode())
        await writer.drain()
        await asyncio.sleep(0.2)


async def silence(writer: asyncio.StreamWriter, _: Asked) -> None:
    await asyncio.sleep(60)


async def endless_body(writer: asyncio.StreamWriter, _: Asked) -> None:
    writer.write(head())
    for _number in range(100_000):
        writer.write(b"<p>on and on</p>" * 1000)
        await writer.drain()


async def endless_film(writer: asyncio.StreamWriter, _: Asked) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n")
    while True:
        writer.write(b"x" * 10_000)
        await writer.drain()


async def gzip_bomb(writer: asyncio.StreamWriter, _: Asked) -> None:
    packed = zlib.compressobj(9, zlib.DEFLATED, 31)
    body = b"".join(packed.compress(b"\0" * 10_000_000) for _number in range(20)) + packed.flush()
    writer.write(head(len(body), "Content-Encoding: gzip\r\n") + body)
    await writer.drain()


async def large_header(writer: asyncio.StreamWriter, _: Asked) -> None:
    writer.write(head(4, f"X-Large: {'x' * 1_000_000}\r\n") + b"okay")
    await writer.drain()


async def many_headers(writer: asyncio.StreamWriter, _: Asked) -> None:
    writer.write(head(4, "".join(f"X-{number}: y\r\n" for number in range(100_000))) + b"okay")
    await writer.drain()


async def declared_large(writer: asyncio.StreamWriter, _: Asked) -> None:
    writer.write(head(99_999_999_999) + b"x")
    await writer.drain()


async def short(writer: asyncio.StreamWriter, _: Asked) -> None:
    writer.write(head(100_000) + b"<title>cut")
    await writer.drain()


async def long(writer: asyncio.StreamWriter, _: Asked) -> None:
    writer.write(head(20) + b"<title>more</title>" * 100)
    await writer.drain()


async def bad_chunk(writer: asyncio.StreamWriter, _: Asked) -> None:
    writer.write(head(None, "Transfer-Encoding: chunked\r\n") + b"zz\r\nwhat\r\n")
    await writer.drain()


async def garbage(writer: asyncio.StreamWriter, _: Asked) -> None:
    writer.write(bytes(range(256)) * 4)
    await writer.drain()


async def reset(writer: asyncio.StreamWriter, _: Asked) -> None:
    connection = writer.get_extra_info("socket")
    connection.setsockopt(1, 13, struct.pack("ii", 1, 0))  # SO_LINGER: close with a reset
    writer.transport.abort()


async def nothing(writer: asyncio.StreamWriter, _: Asked) -> None:
    return


def written(body: bytes) -> Callable[[asyncio.StreamWriter, Asked], Awaitable[None]]:
    """Answer with these bytes, whatever they are."""

    async def write(writer: asyncio.StreamWriter, _: Asked) -> None:
        writer.write(body)
        await writer.drain()

    return write


def with_header(line: bytes) -> Callable[[asyncio.StreamWriter, Asked], Awaitable[None]]:
    """Answer with a small page and one more header."""
    return written(head(16).replace(b"\r\n\r\n", b"\r\n" + line + b"\r\n\r\n") + b"<title>x</title>")


def entities(kind: str) -> Reply:
    """Return a page whose entities would make a thousand million words, and one that reads a file."""
    names = "abcdefghij"
    nested = "".join(f'<!ENTITY {name} "{f"&{inner};" * 10}">' for inner, name in itertools.pairwise(names))
    start = f'<!DOCTYPE html [<!ENTITY a "ha"><!ENTITY f SYSTEM "file:///etc/passwd">{nested}]>'
    return html(
        f'<?xml version="1.0"?>{start}<html xmlns="http://www.w3.org/1999/xhtml"><title>&j;&f;</title></html>',
        kind=kind,
    )


def graph() -> Reply:
    """Return a page of items that each refer ten times to the next one."""
    items = [
        {"@id": f"#{n}", "@type": "Course", "name": "n", "about": [{"@id": f"#{n + 1}"}] * 10}
        for n in range(40)
    ]
    return html(f'<script type="application/ld+json">{json.dumps({"@graph": items})}</script>')


def calendar(asked: Asked) -> Reply:
    month = int(asked.path.rpartition("=")[2])
    return page(f"Month {month}", f"/calendar?month={month + 1}", f"/calendar?month={month + 2}")


def session_query(asked: Asked) -> Reply:
    return page(f"Session {next(_count)}", f"/session?PHPSESSID={next(_count)}")


def session_path(asked: Asked) -> Reply:
    number = next(_count)
    return page("The same in every session", f"/s/{number}/page", body="<p>the very same words</p>")


def same_words(asked: Asked) -> Reply:
    number = int(asked.path.rpartition("/")[2] or 0)
    links = f"<a href='/same/{2 * number + 1}'>a</a><a href='/same/{2 * number + 2}'>a</a>"
    return html(f"<title>Same</title>{links}")


def growing(asked: Asked) -> Reply:
    return page(asked.path, "deeper/again/")


def endless_redirect(asked: Asked) -> Reply:
    return redirect(f"/onward/{int(asked.path.rpartition('/')[2]) + 1}")


def refresh_chain(asked: Asked) -> Reply:
    number = int(asked.path.rpartition("/")[2])
    onward = f'<meta http-equiv="refresh" content="0; url=/refreshed/{number + 1}">' if number < 5 else ""
    return html(f"<title>Refresh {number}</title>{onward}")


def nonce(asked: Asked) -> Reply:
    return page("Nonce", meta="nonce-1", head=f'<meta name="csrf-token" content="{next(_count)}">')


def new_etag(asked: Asked) -> Reply:
    return html("<title>Etag</title>", ("ETag", f'"{next(_count)}"'))


def good(name: str) -> str:
    return f"/good/{name}"


# Path, how it is answered, and what is to come of it: an outcome in the frontier, or "!" and a problem.
TRAPS: dict[str, tuple[object, str]] = {
    "/calendar?month=1": (calendar, "!limit-depth"),
    "/session": (session_query, "ok"),
    "/s/0/page": (session_path, "!trap-repeats"),
    "/same/0": (same_words, "!trap-repeats"),
    "/grow/": (growing, "!limit-path-repeats"),
    "/loop/a": (redirect("/loop/b"), "!redirect-loop"),
    "/loop/b": (redirect("/loop/a"), "!redirect-loop"),
    "/onward/0": (endless_redirect, "!redirect-chain"),
    "/bad-location": (redirect("http://[bad"), "redirect-nowhere"),
    "/no-location": (Reply(b"", 302, ()), "redirect-nowhere"),
    "/odd-location": (redirect("javascript:alert(1)"), "redirect-nowhere"),
    "/slow-body": (slow_body, "timeout"),
    "/slow-headers": (slow_headers, "timeout"),
    "/silence": (silence, "timeout"),
    "/endless-body": (endless_body, "too-large"),
    "/gzip-bomb": (gzip_bomb, "too-large"),
    "/declared-large": (declared_large, "too-large"),
    "/cut-gzip": (html(gzip.compress(b"<title>x</title>" * 1000)[:-20], ("Content-Encoding", "gzip")), "cut"),
    "/no-gzip": (html("<title>x</title>", ("Content-Encoding", "gzip")), "encoding"),
    "/brotli": (html("<title>x</title>", ("Content-Encoding", "br")), "encoding"),
    "/large-header": (large_header, "garbled"),
    "/many-headers": (many_headers, "garbled"),
    "/short": (short, "cut"),
    "/long": (long, "garbled"),
    "/bad-chunk": (bad_chunk, "garbled"),
    "/garbage": (garbage, "garbled"),
    "/reset": (reset, "disconnected"),
    "/nothing": (nothing, "disconnected"),
    "/latin": (html("<title>Räksmörgås</title>".encode("latin-1"), kind="text/html; charset=utf-8"), "ok"),
    "/utf16": (html("<title>Åäö</title>".encode("utf-16"), kind="text/html; charset=utf-16"), "ok"),
    "/odd-charset": (html("<meta charset=utf-8><title>å</title>", kind="text/html; charset=no-such"), "ok"),
    "/self-refresh": (
        html('<meta http-equiv="refresh" content="0; url=/self-refresh"><title>x</title>'),
        "ok",
    ),
    "/refreshed/0": (refresh_chain, "ok"),
    "/nul": (html(b"<title>a\0b</title>\0\0<p>\0"), "ok"),
    "/binary": (html(bytes(range(256)) * 200), "ok"),
    "/links": (
        html("<title>x</title>" + "".join(f'<a href="/l{n}">x</a>' for n in range(100_000))),
        "!limit-links",
    ),
    "/long-url": (html(f'<title>x</title><a href="/{"u" * 100_000}">x</a>'), "ok"),
    "/nested": (html("<title>x</title>" + "<div>" * 400_000 + '<a href="/never">x</a>'), "ok"),
    "/schemes": (
        html(
            "<title>x</title><a href='javascript:x()'>a</a><a href='data:,x'>b</a><a href='http://[bad'>c</a>"
            "<a href='//'>d</a><a href='mailto:a@b.example'>e</a><a href='file:///etc/passwd'>f</a>"
            "<a href='http://user:secret@127.0.0.1/'>g</a>"
        ),
        "ok",
    ),
    "/frames": (html('<frameset><frame src="/good/frames"></frameset>'), "ok"),
    "/base": (html('<base href="http://[bad"><title>x</title><a href="/good/base">x</a>'), "ok"),
    "/soft": (html("<title>Not found</title>"), "ok"),
    "/429": (Reply(b"", 429, (("Retry-After", "100000"),)), "status-429"),
    "/500": (Reply(b"", 500), "status-500"),
    "/403": (Reply(b"", 403), "refused"),
    "/404": (Reply(b"", 404), "gone"),
    "/304": (Reply(b"", 304, ()), "unexpected-304"),
    "/odd-status": (Reply(b"", 299), "status-299"),
    "/etag": (new_etag, "ok"),
    "/future": (html("<title>x</title>", ("Last-Modified", "Fri, 31 Dec 9999 23:59:59 GMT")), "ok"),
    "/nonce": (nonce, "record"),
    "/case": (html("<title>x</title><a href='/Case'>x</a><a href='/CASE'>x</a>"), "ok"),
    "/odd-etag": (with_header(b'ETag: "\xe9\xff"'), "ok"),
    "/odd-server": (with_header(b"Server: \xff\x02\xe4"), "ok"),
    "/many-cookies": (with_header(b"\r\n".join(b"Set-Cookie: a=b" for _ in range(500))), "garbled"),
    "/nul-header": (with_header(b"X-A: b\0c"), "garbled"),
    "/negative-length": (written(b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nx"), "garbled"),
    "/two-lengths": (with_header(b"Content-Length: 5"), "garbled"),
    "/length-and-chunks": (with_header(b"Transfer-Encoding: chunked"), "garbled"),
    "/chunk-overflow": (
        written(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffffff\r\nx"),
        "garbled",
    ),
    "/http-0.9": (written(b"<title>old</title>"), "garbled"),
    "/999": (Reply(b"", 999), "status-999"),
    "/only-continue": (written(b"HTTP/1.1 100 Continue\r\n\r\n" * 2_000), "disconnected"),
    "/twice-gzip": (html(b"x", ("Content-Encoding", "gzip, gzip")), "encoding"),
    "/gzip-and-more": (
        html(gzip.compress(b"<title>x</title>") + b"x" * 99, ("Content-Encoding", "gzip")),
        "ok",
    ),
    "/gzip-members": (html(gzip.compress(b"<p>") * 50_000, ("Content-Encoding", "gzip")), "ok"),
    "/long-location": (redirect("/" + "l" * 9000), "redirect-nowhere"),
    "/cookie-loop": (Reply(b"", 302, (("Location", "/cookie-loop"), ("Set-Cookie", "a=b"))), "redirect-loop"),
    "/codec-hex": (html("<title>x</title>", kind="text/html; charset=hex"), "ok"),
    "/codec-idna": (html("<title>x</title>" * 5000, kind="text/html; charset=idna"), "ok"),
    "/codec-undefined": (html("<title>x</title>", kind="text/html; charset=undefined"), "ok"),
    "/entities": (entities("application/xhtml+xml"), "ok"),
    "/feed-entities": (html("<rss><item><link>&x;</link></item>", kind="application/rss+xml"), "listing"),
    "/metas": (html('<meta name="DC.Subject" content="s">' * 10_000), "!limit-page"),
    "/references": (
        html("<title>&#xD800;&#0;&#x110000;</title><meta name=DC.Title content='a&#1;b'>"),
        "record",
    ),
    "/long-identifier": (
        html(f'<meta name=DC.Title content=x><meta name=DC.Identifier content="{"i-1" * 9000}">'),
        "record",
    ),
    "/itemref": (
        html('<p id=a itemscope itemtype="http://schema.org/Course" itemref="a b"><b id=b itemprop=n>'),
        "ok",
    ),
    "/sitemaps": (
        html(
            "<sitemapindex>" + "<sitemap><loc>/sitemaps</loc></sitemap>" * 999 + "</sitemapindex>",
            kind="application/xml",
        ),
        "listing-read",
    ),
    "/hosts": (
        html(
            "".join(
                f"<a href='http://{host}/'>x</a>"
                for host in (
                    "0x7f.1",
                    "a" * 300,
                    "-x-",
                    "%31",
                    "127\u30020.0.1",
                    "..",
                    "xn--",
                    "h:99999",
                    "[::",
                )
            )
        ),
        "ok",
    ),
    "/file-location": (redirect("file:///etc/passwd"), "redirect-nowhere"),
    "/user-location": (redirect("http://user:secret@127.0.0.1/"), "redirect-nowhere"),
    "/early-hints": (
        written(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + head(16) + b"<title>x</title>"),
        "ok",
    ),
    "/upgrade": (
        written(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n" + b"\0" * 999),
        "status-101",
    ),
    "/partial": (Reply(b"<title>x</title>", 206), "!odd-status"),
    "/endless-film": (endless_film, "other-type"),
    "/graph": (graph(), "record"),
    "/attributes": (html("<p " + " ".join(f"a{n}=1" for n in range(200_000)) + ">"), "!parse-time"),
    "/json-ld": (
        html('<title>x</title><script type="application/ld+json">' + "[" * 50_000 + "</script>"),
        "ok",
    ),
}
PREFIXES: dict[str, Callable[[Asked], Reply]] = {
    "/calendar?": calendar,
    "/session": session_query,
    "/s/": session_path,
    "/same/": same_words,
    "/grow/": growing,
    "/onward/": endless_redirect,
    "/refreshed/": refresh_chain,
}
SLOW = ("/slow-body", "/slow-headers", "/silence")  # which take as long as they are let
GOOD = [good(str(number)) for number in range(20)]


def fallback(asked: Asked) -> Reply:
    """Answer for the families of the traps, and for the good pages."""
    for prefix, answer in PREFIXES.items():
        if asked.path.startswith(prefix):
            return answer(asked)
    if asked.path.startswith("/good/"):
        name = asked.path.rpartition("/")[2]
        return page(f"Good {name}", meta=f"good-{name}-1")
    return Reply(b"", 404)


def hostile_site(traps: Collection[str] = TRAPS.keys()) -> Website:
    """Return a site of traps, not yet serving: its start page leads to them and, last, to the good pages."""
    website = Website(fallback=fallback)
    website.routes |= {path: TRAPS[path][0] for path in traps}  # type: ignore[misc]
    website.routes["/"] = page("Start", *traps, *GOOD)
    return website
