"""A thesis as metadata in one of four formats; `thesis_repository` puts the result inside a record.

The texts are plain; they are escaped for XML here, and only where necessary.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from windrow.demo.theses import Thesis

_XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
_DC = "http://purl.org/dc/elements/1.1/"
_OAI_DC = "http://www.openarchives.org/OAI/2.0/oai_dc/"
_QDC = "http://dspace.org/qualifieddc/"
_MARC = "http://www.loc.gov/MARC21/slim"
_KK = "http://kk/1.0"
_MARC_LANGUAGES = {"fi": "fin", "sv": "swe", "en": "eng"}


@dataclass(frozen=True, slots=True)
class Format:
    """A metadata format of ListMetadataFormats, and the function that writes it."""

    prefix: str
    namespace: str
    schema: str
    render: Callable[[Thesis], str]


def escape(text: str) -> str:
    if "&" in text:
        text = text.replace("&", "&amp;")
    if "<" in text:
        text = text.replace("<", "&lt;")
    return text.replace(">", "&gt;") if ">" in text else text


def escape_attribute(text: str) -> str:
    """Return the text escaped for an attribute in double quotes."""
    text = escape(text)
    return text.replace('"', "&quot;") if '"' in text else text


def render_oai_dc(thesis: Thesis) -> str:
    """Unqualified Dublin Core, with all texts without their language, as repositories provide it.

    Only the sets show where a thesis was written.
    """
    parts = [
        f'<oai_dc:dc xmlns:oai_dc="{_OAI_DC}" xmlns:dc="{_DC}" {_XSI}'
        f' xsi:schemaLocation="{_OAI_DC} http://www.openarchives.org/OAI/2.0/oai_dc.xsd">'
    ]
    parts += [f"<dc:title>{escape(text)}</dc:title>" for _, text in thesis.titles]
    parts += [f"<dc:creator>{escape(name)}</dc:creator>" for name in thesis.authors]
    parts += [f"<dc:subject>{escape(word)}</dc:subject>" for _, word in thesis.keywords]
    parts += [f"<dc:description>{escape(text)}</dc:description>" for _, text in thesis.abstracts]
    parts.append(
        f"<dc:contributor>{escape(thesis.advisor)}</dc:contributor>"
        f"<dc:date>{thesis.issued}</dc:date>"
        f"<dc:type>{_type(thesis, 'fi')}</dc:type>"
        f"<dc:format>application/pdf</dc:format><dc:format>{thesis.pages} s.</dc:format>"
        f"<dc:identifier>{thesis.landing}</dc:identifier>"
        f"<dc:identifier>{thesis.fulltext}</dc:identifier>"
        f"<dc:language>{thesis.language}</dc:language>"
    )
    if thesis.licence:
        parts.append(f"<dc:rights>{thesis.licence}</dc:rights>")
    parts.append("</oai_dc:dc>")
    return "".join(parts)


def render_qdc(thesis: Thesis) -> str:
    """Qualified Dublin Core in the form of DSpace."""
    parts = [
        f'<qdc:qualifieddc xmlns:qdc="{_QDC}" xmlns:dc="{_DC}"'
        f' xmlns:dcterms="http://purl.org/dc/terms/" {_XSI}>'
    ]
    parts.append(f'<dc:title xml:lang="{thesis.language}">{escape(thesis.titles[0][1])}</dc:title>')
    parts += [
        f'<dcterms:alternative xml:lang="{language}">{escape(text)}</dcterms:alternative>'
        for language, text in thesis.titles[1:]
    ]
    parts += [f"<dc:creator>{escape(name)}</dc:creator>" for name in thesis.authors]
    parts += [f'<dc:subject xml:lang="{lang}">{escape(word)}</dc:subject>' for lang, word in thesis.keywords]
    parts += [
        f'<dcterms:abstract xml:lang="{language}">{escape(text)}</dcterms:abstract>'
        for language, text in thesis.abstracts
    ]
    parts.append(
        f'<dc:publisher xml:lang="fi">{escape(thesis.university.finnish)}</dc:publisher>'
        f"<dc:contributor>{escape(thesis.advisor)}</dc:contributor>"
        f"<dcterms:issued>{thesis.issued}</dcterms:issued>"
        f'<dc:type xml:lang="en">{_type(thesis, "en")}</dc:type>'
        f"<dcterms:extent>{thesis.pages} s.</dcterms:extent>"
        f"<dc:identifier>{thesis.landing}</dc:identifier>"
        f"<dc:relation>{thesis.fulltext}</dc:relation>"
        f"<dc:language>{thesis.language}</dc:language>"
    )
    if thesis.licence:
        parts.append(f"<dcterms:license>{thesis.licence}</dcterms:license>")
    parts.append("</qdc:qualifieddc>")
    return "".join(parts)


def render_kk(thesis: Thesis) -> str:
    """Every field with its qualifier and its language: the richest format, as in Finnish repositories."""
    programme, university = thesis.department.programme, thesis.university
    parts = [
        f'<kk:metadata xmlns:kk="{_KK}" {_XSI} xsi:schemaLocation="{_KK} {_KK}/kk.xsd">'
        f'<kk:identifier type="handle" value="thesis/{thesis.number}"/>'
        f'<kk:type name="item"/><kk:link href="{thesis.landing}"/>'
    ]
    parts += [_kk("contributor", "author", name) for name in thesis.authors]
    parts.append(_kk("contributor", "advisor", thesis.advisor))
    parts.append(_kk("contributor", "organization", university.finnish, "fi"))
    parts.append(_kk("date", "issued", thesis.issued))
    parts += [_kk("description", "abstract", text, language) for language, text in thesis.abstracts]
    parts.append(_kk("format", "extent", f"{thesis.pages} s."))
    parts.append(_kk("identifier", "uri", thesis.landing))
    parts.append(_kk("language", "iso", thesis.language))
    parts += [
        _kk("publisher", "", university.finnish, "fi"),
        _kk("publisher", "", university.swedish, "sv"),
        _kk("publisher", "", university.english, "en"),
        _kk("subject", "degreeprogram", programme.finnish, "fi"),
        _kk("subject", "degreeprogram", programme.swedish, "sv"),
        _kk("subject", "degreeprogram", programme.english, "en"),
    ]
    parts += [_kk("subject", "", word, language) for language, word in thesis.keywords]
    parts.append(_kk("title", "", thesis.titles[0][1], thesis.language))
    parts += [_kk("title", "alternative", text, language) for language, text in thesis.titles[1:]]
    parts += [_kk("type", "ontasot", _type(thesis, language), language) for language in ("fi", "sv", "en")]
    if thesis.licence:
        parts.append(_kk("rights", "uri", thesis.licence))
    parts.append(
        f'<kk:file bundle="ORIGINAL" href="{thesis.fulltext}" name="{thesis.fulltext_name}"'
        ' type="application/pdf"/></kk:metadata>'
    )
    return "".join(parts)


def render_marcxml(thesis: Thesis) -> str:
    """MARC 21 as a cataloguer would write it, without the fields that are unused for theses."""
    code = _MARC_LANGUAGES[thesis.language]
    fixed = f"{thesis.issued[2:4]}0101s{thesis.year}    fi |||||om    ||||||{code}||"
    parts = [
        f'<marc:record xmlns:marc="{_MARC}" {_XSI}'
        f' xsi:schemaLocation="{_MARC} http://www.loc.gov/standards/marcxml/schema/MARC21slim.xsd">'
        "<marc:leader>00000nam a22000007a 4500</marc:leader>"
        f'<marc:controlfield tag="001">{thesis.number}</marc:controlfield>'
        f'<marc:controlfield tag="008">{fixed}</marc:controlfield>',
        _marc("041", "0 ", ("a", code)),
        _marc("100", "1 ", ("a", thesis.authors[0]), ("e", "kirjoittaja")),
        _marc("245", "10", ("a", thesis.titles[0][1])),
        *(_marc("246", "31", ("a", text)) for _, text in thesis.titles[1:]),
        _marc("264", " 1", ("b", thesis.university.finnish), ("c", thesis.year)),
        _marc("300", "  ", ("a", f"1 verkkoaineisto ({thesis.pages} sivua)")),
        _marc("502", "  ", ("a", _type(thesis, "fi")), ("c", thesis.university.finnish), ("d", thesis.year)),
        *(_marc("520", "3 ", ("a", text)) for _, text in thesis.abstracts),
        *(_marc("653", "  ", ("a", word)) for _, word in thesis.keywords),
        *(_marc("700", "1 ", ("a", name), ("e", "kirjoittaja")) for name in thesis.authors[1:]),
        _marc("700", "1 ", ("a", thesis.advisor), ("e", "ohjaaja")),
        _marc("710", "2 ", ("a", thesis.university.finnish), ("b", thesis.department.programme.finnish)),
        _marc("856", "40", ("u", thesis.fulltext), ("q", "application/pdf")),
        _marc("856", "42", ("u", thesis.landing), ("y", "Kuvailusivu")),
        "</marc:record>",
    ]
    return "".join(parts)


def _type(thesis: Thesis, language: str) -> str:
    is_master = thesis.department.programme.is_master
    if language == "fi":
        return "YAMK-opinnäytetyö" if is_master else "AMK-opinnäytetyö"
    if language == "sv":
        return "Högre YH-examensarbete" if is_master else "YH-examensarbete"
    return "Master's thesis" if is_master else "Bachelor's thesis"


def _kk(element: str, qualifier: str, value: str, language: str = "none") -> str:
    qualified = f' qualifier="{qualifier}"' if qualifier else ""
    return (
        f'<kk:field schema="dc" element="{element}"{qualified} language="{language}"'
        f' value="{escape_attribute(value)}"/>'
    )


def _marc(tag: str, indicators: str, *subfields: tuple[str, str]) -> str:
    inside = "".join(
        f'<marc:subfield code="{code}">{escape(value)}</marc:subfield>' for code, value in subfields
    )
    return (
        f'<marc:datafield tag="{tag}" ind1="{indicators[0]}" ind2="{indicators[1]}">{inside}</marc:datafield>'
    )


FORMATS: dict[str, Format] = {
    each.prefix: each
    for each in (
        Format("oai_dc", _OAI_DC, "http://www.openarchives.org/OAI/2.0/oai_dc.xsd", render_oai_dc),
        Format("kk", _KK, f"{_KK}/kk.xsd", render_kk),
        Format(
            "marcxml", _MARC, "http://www.loc.gov/standards/marcxml/schema/MARC21slim.xsd", render_marcxml
        ),
        Format("qdc", _QDC, "http://www.ukoln.ac.uk/metadata/dcmi/xmlschema/qualifieddc.xsd", render_qdc),
    )
}
