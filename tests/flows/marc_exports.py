"""MARC records as library systems export them."""

from __future__ import annotations


def iso2709(number: str, title: str, *, status: str = "n", changed: str = "") -> bytes:
    """One record in ISO 2709, with lengths and places as the standard has them."""
    fields = [
        (b"001", number.encode()),
        *([(b"005", changed.encode())] if changed else []),
        (b"100", b"1 \x1faLind, Ada"),
        (b"245", b"10\x1fa" + title.encode()),
    ]
    if not number:
        fields = fields[1:]
    directory, body = b"", b""
    for tag, data in fields:
        directory += tag + f"{len(data) + 1:04}{len(body):05}".encode()
        body += data + b"\x1e"
    base = 24 + len(directory) + 1
    leader = f"{base + len(body) + 1:05}{status}am a22{base:05} a 4500".encode()
    return leader + directory + b"\x1e" + body + b"\x1d"


def marcxml(*records: tuple[str, str], namespace: str = "http://www.loc.gov/MARC21/slim") -> bytes:
    made = "".join(
        f"<record><leader>00000nam a2200000 a 4500</leader><controlfield tag='001'>{number}</controlfield>"
        f"<datafield tag='245' ind1='0' ind2='0'><subfield code='a'>{title}</subfield></datafield></record>"
        for number, title in records
    )
    return f"<?xml version='1.0'?><collection xmlns='{namespace}'>{made}</collection>".encode()
