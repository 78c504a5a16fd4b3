"""The small answers as bytes: Identify, ListMetadataFormats, ListSets. `render.envelope` goes around them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from windrow.wire.oai.answering.arguments import is_set_spec
from windrow.wire.oai.answering.escaping import element
from windrow.wire.oai.answering.render import listing, stamp_of
from windrow.wire.oai.answers import MetadataFormat

_GRANULARITY = b"<granularity>YYYY-MM-DDThh:mm:ssZ</granularity>"


class ListedSet(NamedTuple):
    """A set as ListSets shows it; the description is an element that stands by itself."""

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
    """Give what Identify says. `admins` are e-mail addresses, at least one; `earliest` is a Unix second."""
    parts = [
        b"<Identify>",
        element(b"repositoryName", name),
        element(b"baseURL", base_url),
        b"<protocolVersion>2.0</protocolVersion>",
        *(element(b"adminEmail", admin) for admin in admins),
        b"<earliestDatestamp>%b</earliestDatestamp>" % stamp_of(earliest),
        element(b"deletedRecord", deletion),
        _GRANULARITY,
        *(element(b"compression", compression) for compression in compressions),
        *(b"<description>%b</description>" % description for description in descriptions if description),
        b"</Identify>\n",
    ]
    return b"".join(parts)


def list_metadata_formats(formats: Iterable[MetadataFormat]) -> bytes:
    """Give what ListMetadataFormats says; there must be a format."""
    return b"".join(listing("ListMetadataFormats", map(_metadata_format, formats)))


def list_sets(sets: Iterable[ListedSet], token: bytes = b"") -> bytes:
    """Give a page of ListSets; what the protocol has no spelling for is left out."""
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
