"""A provider's responses as bytes: envelope, lists of headers and records, tokens, errors, Identify.

A front end renders each record and joins all parts once with `envelope(*listing(…), …)`. Records are the hot
path: repeated parts (datestamps, tags, sets) are cached.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from windrow.protocols.oai.oai_page import NAMESPACE
from windrow.protocols.oai.payload_xml import (
    ROOT_DECLARATIONS,
    XSI,
    element,
    escape,
    escape_attribute,
    metadata_tags,
)
from windrow.protocols.oai.provider_request import OaiError, Pairs, format_request_date, is_set_spec, is_uri
from windrow.protocols.oai.repository_info import MetadataFormat

_LOCATION = f"{NAMESPACE} {NAMESPACE}OAI-PMH.xsd".encode()
_HEAD = (
    b'<?xml version="1.0" encoding="UTF-8"?>\n'
    b"<OAI-PMH" + ROOT_DECLARATIONS + b' xsi:schemaLocation="' + _LOCATION + b'">'
    b"<responseDate>%b</responseDate><request%b>%b</request>\n"
)
_TAIL = b"</OAI-PMH>\n"
_HEADER = b"<header><identifier>%b</identifier><datestamp>%b</datestamp>%b</header>"
_DELETED = b'<header status="deleted"><identifier>%b</identifier><datestamp>%b</datestamp>%b</header>'


def envelope(*parts: bytes, base_url: str, response_date: int, echo: Pairs) -> bytes:
    """Return the whole response around the parts of a verb.

    `echo` are the arguments that the request element repeats, each at most once. An identifier that is not a
    URI is left out: the schema of OAI-PMH 2.0 does not allow it there.
    """
    arguments = b"".join(
        b' %b="%b"' % (name.encode(), escape_attribute(value))
        for name, value in echo
        if name != "identifier" or is_uri(value)
    )
    head = _HEAD % (render_datestamp(response_date), arguments, escape(base_url))
    return b"".join((head, *parts, _TAIL))


def listing(verb: str, entries: Iterable[bytes], token: bytes = b"") -> list[bytes]:
    """Return the parts of a list, or of GetRecord: its records or headers, then its token."""
    name = verb.encode()
    return [b"<%b>\n" % name, *entries, token, b"</%b>\n" % name]


@lru_cache(maxsize=65_536)  # a harvest stores whole pages of records with one datestamp
def render_datestamp(seconds: int) -> bytes:
    return format_request_date(seconds).encode()


def header(identifier: str, stamp: bytes, sets: bytes, *, is_deleted: bool) -> bytes:
    """Return a record's header; `sets` is the result of `set_specs`."""
    return (_DELETED if is_deleted else _HEADER) % (escape(identifier), stamp, sets)


def set_specs(specs: Iterable[str]) -> bytes:
    """Return the setSpec elements of a header. Specs that the protocol does not allow are left out."""
    return b"".join(b"<setSpec>%b</setSpec>" % spec.encode() for spec in specs if is_set_spec(spec))


def record(header: bytes, payload: bytes | None, declarations: bytes, abouts: Sequence[bytes] = ()) -> bytes:
    """Return a record with its unchanged payload (None: deleted) and its `<about>` containers.

    Each of `abouts` is a complete element; empty ones are left out.
    """
    if payload is None:
        return b"<record>%b</record>\n" % header
    start, end = metadata_tags(payload, declarations)
    told = b"".join([b"<about>%b</about>" % about for about in abouts if about])
    return b"<record>%b%b%b%b%b</record>\n" % (header, start, payload, end, told)


def resumption_token(token: str, *, cursor: int, size: int) -> bytes:
    """Return the token element; an empty token ends the list. A size of 0 is left out."""
    total = b' completeListSize="%d"' % size if size > 0 else b""
    return b'<resumptionToken%b cursor="%d">%b</resumptionToken>\n' % (total, cursor, escape(token))


def errors(refusals: Iterable[OaiError]) -> bytes:
    return b"".join(
        b'<error code="%b">%b</error>\n' % (escape_attribute(each.code), escape(each.message))
        for each in refusals
    )


# The small responses: Identify, ListMetadataFormats, ListSets.

_GRANULARITY = b"<granularity>YYYY-MM-DDThh:mm:ssZ</granularity>"


class ListedSet(NamedTuple):
    """A set in ListSets; the description is a complete element."""

    spec: str
    name: str
    description: bytes | None = None


def identify(
    *,
    name: str,
    base_url: str,
    admins: Sequence[str],
    earliest: int,
    deletion: str = "persistent",
    compressions: Sequence[str] = (),
    descriptions: Sequence[bytes] = (),
) -> bytes:
    """Return the contents of Identify.

    `admins` are e-mail addresses, at least one; `earliest` is a Unix second.
    """
    parts = [
        b"<Identify>",
        element(b"repositoryName", name),
        element(b"baseURL", base_url),
        b"<protocolVersion>2.0</protocolVersion>",
        *(element(b"adminEmail", admin) for admin in admins),
        b"<earliestDatestamp>%b</earliestDatestamp>" % render_datestamp(earliest),
        element(b"deletedRecord", deletion),
        _GRANULARITY,
        *(element(b"compression", compression) for compression in compressions),
        *(b"<description>%b</description>" % description for description in descriptions if description),
        b"</Identify>\n",
    ]
    return b"".join(parts)


def list_metadata_formats(formats: Iterable[MetadataFormat]) -> bytes:
    """Return the contents of ListMetadataFormats; at least one format is required."""
    return b"".join(listing("ListMetadataFormats", map(_metadata_format, formats)))


def list_sets(sets: Iterable[ListedSet], token: bytes = b"") -> bytes:
    """Return a page of ListSets; specs that the protocol does not allow are left out."""
    return b"".join(listing("ListSets", (_set(each) for each in sets if is_set_spec(each.spec)), token))


def _metadata_format(form: MetadataFormat) -> bytes:
    inside = (
        element(b"metadataPrefix", form.prefix),
        element(b"schema", form.schema),
        element(b"metadataNamespace", form.namespace),
    )
    return b"<metadataFormat>%b</metadataFormat>\n" % b"".join(inside)


def _set(listed: ListedSet) -> bytes:
    described = b"<setDescription>%b</setDescription>" % listed.description if listed.description else b""
    named = element(b"setSpec", listed.spec) + element(b"setName", listed.name)
    return b"<set>%b%b</set>\n" % (named, described)


# Descriptions of a repository in Identify. Each function returns a complete element, which `identify` puts
# into a `<description>`.

_OAI = "http://www.openarchives.org/OAI/2.0/"
_TOOLKIT = "http://oai.dlib.vt.edu/OAI/metadata/toolkit"
_DOMAIN = r"[a-zA-Z][a-zA-Z0-9\-]*+(?:\.[a-zA-Z][a-zA-Z0-9\-]*+)++"
_REPOSITORY = re.compile(_DOMAIN)
_SAMPLE = re.compile(rf"oai:{_DOMAIN}:[a-zA-Z0-9\-_.!~*'();/?:@&=+$,%]++")


def oai_identifier(repository_identifier: str, sample: str) -> bytes:
    """Describe identifiers of the form `oai:REPOSITORY:…`; b"" if the values do not have that form."""
    if not _REPOSITORY.fullmatch(repository_identifier) or not _SAMPLE.fullmatch(sample):
        return b""
    inside = (
        b"<scheme>oai</scheme>",
        element(b"repositoryIdentifier", repository_identifier),
        b"<delimiter>:</delimiter>",
        element(b"sampleIdentifier", sample),
    )
    address = f"{_OAI}oai-identifier"
    return _block(b"oai-identifier", address, f"{address}.xsd", inside)


def friends(base_urls: Iterable[str]) -> bytes:
    """Name other repositories for harvesting; b"" if there are none."""
    inside = [element(b"baseURL", url) for url in base_urls]
    return _block(b"friends", f"{_OAI}friends/", f"{_OAI}friends.xsd", inside) if inside else b""


def branding(
    url: str, *, link: str = "", title: str = "", width: int | None = None, height: int | None = None
) -> bytes:
    inside = [element(b"url", url)]
    inside += [element(name, text) for name, text in ((b"link", link), (b"title", title)) if text]
    for name, pixels in ((b"width", width), (b"height", height)):
        inside += [] if pixels is None else [element(name, str(pixels))]
    icon = b"<collectionIcon>%b</collectionIcon>" % b"".join(inside)
    return _block(b"branding", f"{_OAI}branding/", f"{_OAI}branding.xsd", (icon,))


def toolkit(title: str, version: str, url: str = "") -> bytes:
    inside = [element(b"title", title), element(b"version", version)]
    inside += [element(b"URL", url)] if url else []
    return _block(b"toolkit", _TOOLKIT, f"{_TOOLKIT}.xsd", inside)


def _block(name: bytes, namespace: str, schema: str, inside: Iterable[bytes]) -> bytes:
    location = f'xmlns="{namespace}" xmlns:xsi="{XSI}" xsi:schemaLocation="{namespace} {schema}"'
    return b"<%b %b>%b</%b>" % (name, location.encode(), b"".join(inside), name)
