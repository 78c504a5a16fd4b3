"""Character set negotiation (CharSetandLanguageNegotiation-3), and reasons for refusing a session."""

from __future__ import annotations

from collections.abc import Iterable

from windrow.protocols.z3950 import z3950_registry
from windrow.protocols.z3950.asn1 import (
    BOOLEAN,
    EXTERNAL,
    NULL,
    OID,
    STRING,
    Choice,
    Chosen,
    External,
    Tagged,
    explicit,
    field,
    implicit,
    optional,
    own,
    own_optional,
    sequence,
    sequence_of,
    type_of,
)
from windrow.protocols.z3950.ber import UNIVERSAL, BerError
from windrow.protocols.z3950.pdus import DefaultDiagnostic, OtherItem
from windrow.protocols.z3950.z3950_registry import Diagnostic

CHARSETS = {"utf-8": "utf-8", "utf8": "utf-8", "iso-8859-1": "iso-8859-1", "latin-1": "iso-8859-1"}
_ID_CHARSET = "1.2.840.10003.15.1000.81.1"
_DIAGNOSTIC_FORMAT = "1.2.840.10003.4.2"  # diag-1


@sequence
class Iso10646:
    """An encoding of ISO 10646 (Unicode)."""

    collections: str | None = optional(1, OID, default=None)
    encoding_level: str = field(2, OID)


_PRIVATE = Choice(
    {
        "viaOid": implicit(1, sequence_of(OID)),
        "externallySpecified": implicit(2, EXTERNAL),
        "agreed": implicit(3, NULL),
    }
)
_UNKNOWN = Tagged(UNIVERSAL | 16, lambda content: content, lambda _value: b"")  # ISO 2022 is not offered
_PROPOSED = Choice(
    {
        "iso2022": implicit(1, _UNKNOWN),
        "iso10646": implicit(2, type_of(Iso10646)),
        "private": explicit(3, _PRIVATE),
    }
)


@sequence
class Proposal:
    """A client's proposal."""

    charsets: tuple[Chosen, ...] | None = optional(1, sequence_of(_PROPOSED), default=None)
    languages: tuple[str, ...] | None = optional(2, sequence_of(STRING), default=None)
    is_for_records: bool | None = optional(3, BOOLEAN, default=None)


@sequence
class Response:
    """The target's selection."""

    charset: Chosen | None = own_optional(explicit(1, _PROPOSED), default=None)
    language: str | None = optional(2, STRING, default=None)
    is_for_records: bool | None = optional(3, BOOLEAN, default=None)


_NEGOTIATION = Choice(
    {"proposal": implicit(1, type_of(Proposal)), "response": implicit(2, type_of(Response))}
)


def negotiate(items: Iterable[OtherItem]) -> tuple[str, OtherItem] | None:
    """Return the character set of the first acceptable proposal and the response to it, or None."""
    for item in items:
        found = item.information
        if found.name != "externallyDefinedInfo" or found.value.oid != z3950_registry.NEGOTIATION:
            continue
        if found.value.element is None or found.value.element.tag not in _NEGOTIATION.tags:
            raise BerError("a negotiation of character sets is malformed")
        name, proposal = _NEGOTIATION.read(found.value.element)
        if name != "proposal":
            continue
        for charset in proposal.charsets or ():
            selected = _charset(charset)
            if selected is not None:
                response = Response(charset=charset, language=None, is_for_records=proposal.is_for_records)
                return selected, other_item(
                    z3950_registry.NEGOTIATION, _NEGOTIATION.write(Chosen("response", response))
                )
    return None


def _charset(proposed: Chosen) -> str | None:
    if proposed.name == "iso10646":
        return "utf-8" if proposed.value.encoding_level == z3950_registry.UTF_8 else None
    private = proposed.value
    if proposed.name != "private" or private.name != "externallySpecified" or not private.value.octets:
        return None
    return CHARSETS.get(private.value.octets.decode("latin-1").strip("\0 ").lower())


def other_item(oid: str, written: bytes) -> OtherItem:
    return OtherItem(information=Chosen("externallyDefinedInfo", External(oid, written=written)))


@sequence
class _Reason:
    """An entry of DiagnosticFormat."""

    diagnostic: Chosen = own(explicit(1, Choice({"defaultDiagRec": implicit(1, type_of(DefaultDiagnostic))})))


def refusal(condition: Diagnostic, about: str) -> External:
    """Return the reason for refusing a session, as the user information of an Init response."""
    diagnostic = DefaultDiagnostic(
        diagnostic_set_id=z3950_registry.DIAGNOSTICS, condition=condition, addinfo=about
    )
    reason = sequence_of(type_of(_Reason)).write((_Reason(diagnostic=Chosen("defaultDiagRec", diagnostic)),))
    plain = sequence_of(type_of(OtherItem)).write((other_item(_DIAGNOSTIC_FORMAT, reason),))
    return External(z3950_registry.USER_INFORMATION, written=plain)
