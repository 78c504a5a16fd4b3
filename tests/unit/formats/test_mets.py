from __future__ import annotations

from windrow.formats.mets import MOST_FILES
from windrow.formats.registry import read
from windrow.model.document import Document, LinkKind

NAMESPACES = (
    b' xmlns="http://www.loc.gov/METS/" xmlns:xlink="http://www.w3.org/1999/xlink"'
    b' xmlns:mods="http://www.loc.gov/mods/v3" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    b' xmlns:dv="http://dfg-viewer.de/"'
)


def mets(inside: str) -> Document:
    return read(f"<mets>{inside}</mets>".encode(), NAMESPACES, "mets")


def section(name: str, kind: str, inside: str) -> str:
    wrap = f'<mdWrap MDTYPE="{kind}"><xmlData>{inside}</xmlData></mdWrap>'
    return f'<dmdSec ID="{name}">{wrap}</dmdSec>'


def titled(title: str) -> str:
    return f"<mods:mods><mods:titleInfo><mods:title>{title}</mods:title></mods:titleInfo></mods:mods>"


def group(use: str, count: int, media_type: str = "image/jpeg") -> str:
    files = "".join(
        f'<file ID="{use}{number}" MIMETYPE="{media_type}">'
        f'<FLocat LOCTYPE="URL" xlink:href="https://example.org/{use}/{number}"/></file>'
        for number in range(count)
    )
    return f'<fileSec><fileGrp USE="{use}">{files}</fileGrp></fileSec>'


def test_a_description_without_its_root_is_read_as_the_type_that_is_named() -> None:
    assert mets(section("a", "DC", "<dc:title>Hay</dc:title>")).title == "Hay"
    assert mets(section("a", "MODS", "<mods:titleInfo>Hay</mods:titleInfo>")).title == "Hay"


def test_the_description_of_the_outermost_division_is_that_of_the_whole() -> None:
    chapter, book = section("c", "MODS", titled("Chapter")), section("b", "MODS", titled("Book"))
    structure = '<structMap TYPE="LOGICAL"><div DMDID="b"><div DMDID="c"/></div></structMap>'
    document = mets(chapter + book + structure)
    assert [title.value for title in document.titles] == ["Book"]
    assert document.extra["mets:dmdSec/title"] == ("Chapter",)


def test_of_two_descriptions_of_the_whole_the_richer_format_counts() -> None:
    plain, rich = section("p", "DC", "<dc:title>Plain</dc:title>"), section("r", "MODS", titled("Rich"))
    document = mets(plain + rich + '<structMap><div DMDID="p r"/></structMap>')
    assert document.title == "Rich"


def test_an_unreadable_description_leaves_the_label_as_the_title() -> None:
    payload = f'<mets LABEL="A label">{section("a", "OTHER", "<x>y</x>")}</mets>'
    document = read(payload.encode(), NAMESPACES, "mets")
    assert document.title == "A label"
    assert document.extra["mets:dmdSec/x"] == ("y",)


def test_a_few_files_are_links_and_many_are_pages() -> None:
    assert len(mets(group("DEFAULT", 2)).links) == 2
    document = mets(group("DEFAULT", MOST_FILES + 1))
    assert not document.links
    assert len(document.extra["mets:fileSec/FLocat@href"]) == MOST_FILES + 1


def test_among_many_files_the_whole_book_is_the_one_the_outermost_division_points_to() -> None:
    structure = '<structMap TYPE="PHYSICAL"><div><fptr FILEID="DOWNLOAD7"/></div></structMap>'
    document = mets(group("DOWNLOAD", MOST_FILES + 1, "application/pdf") + structure)
    assert [link.url for link in document.links] == ["https://example.org/DOWNLOAD/7"]


def test_a_file_is_what_its_group_is_for() -> None:
    uses = ("ORIGINAL", "THUMBS", "LICENSE", "FULLTEXT")
    kinds = [mets(group(use, 1)).links[0].kind for use in uses]
    assert kinds == [LinkKind.FULLTEXT, LinkKind.THUMBNAIL, LinkKind.LICENSE, LinkKind.RELATED]


def test_a_package_inside_a_package_is_not_opened() -> None:
    inner = f"<mets>{section('b', 'MODS', titled('Inner'))}</mets>"
    document = mets(section("a", "OTHER", inner))
    assert not document.titles
    assert document.extra["mets:dmdSec/title"] == ("Inner",)
