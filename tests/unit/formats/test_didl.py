from __future__ import annotations

from windrow.formats.registry import read
from windrow.model.document import Document, LinkKind

NAMESPACES = (
    b' xmlns="urn:mpeg:mpeg21:2002:02-DIDL-NS" xmlns:dip="urn:mpeg:mpeg21:2005:01-DIP-NS"'
    b' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:mods="http://www.loc.gov/mods/v3"'
    b' xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"'
)


def didl(inside: str) -> Document:
    return read(f"<DIDL><Item>{inside}</Item></DIDL>".encode(), NAMESPACES, "didl")


def item(kind: str, resource: str) -> str:
    said = f"<Statement><dip:ObjectType>info:eu-repo/semantics/{kind}</dip:ObjectType></Statement>"
    return f"<Item><Descriptor>{said}</Descriptor><Component>{resource}</Component></Item>"


def test_a_description_in_a_statement_is_read_as_dspace_writes_it() -> None:
    statement = "<Statement><oai_dc:dc><dc:title>Hay</dc:title></oai_dc:dc></Statement>"
    file = '<Resource ref="https://example.org/bitstream/1/hay.pdf" mimeType="application/pdf"/>'
    document = didl(f"<Descriptor>{statement}</Descriptor><Component>{file}</Component>")
    assert document.title == "Hay"
    assert document.fulltext == "https://example.org/bitstream/1/hay.pdf"


def test_the_richer_of_two_descriptions_counts_wherever_it_stands() -> None:
    plain = "<Resource><oai_dc:dc><dc:title>Plain</dc:title></oai_dc:dc></Resource>"
    title = "<mods:titleInfo><mods:title>Rich</mods:title></mods:titleInfo>"
    rich = f"<Resource><mods:mods>{title}</mods:mods></Resource>"
    document = didl(item("descriptiveMetadata", plain) + item("descriptiveMetadata", rich))
    assert [title.value for title in document.titles] == ["Rich"]
    assert document.extra["didl:Component/title"] == ("Plain",)


def test_the_object_type_says_what_an_address_leads_to() -> None:
    file = item("objectFile", '<Resource ref="https://example.org/1" mimeType="application/xml"/>')
    page = item("humanStartPage", '<Resource ref="https://example.org/2" mimeType="application/xml"/>')
    kinds = {link.url: link.kind for link in didl(file + page).links}
    assert kinds == {"https://example.org/1": LinkKind.FULLTEXT, "https://example.org/2": LinkKind.LANDING}


def test_a_file_carried_inside_the_record_is_not_taken_for_words() -> None:
    document = didl(item("objectFile", '<Resource encoding="base64">SGF5</Resource>'))
    assert document == Document()


def test_a_reference_that_is_no_address_is_kept() -> None:
    document = didl(item("objectFile", '<Resource ref="javascript:alert(1)"/>'))
    assert not document.links
    assert document.extra["didl:Component/Resource@ref"] == ("javascript:alert(1)",)
