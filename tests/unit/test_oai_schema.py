"""The schemas that other tests depend on accept what is right and refuse what is wrong.

Sound responses are written out here; each mutation breaks one of them in one place. The official schemas
cannot express some of what the protocol asks for: those mutations only the project's own grammar refuses.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from lxml import etree

from tests.fixtures import shared
from tests.oai_schema import is_uri, own_schema, validate, validate_oai_dc, validate_officially

OAI = "http://www.openarchives.org/OAI/2.0/"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
DC = f'xmlns:o="{OAI}oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/"'
FOREIGN = '<hay xmlns="urn:hay">x<bale/></hay>'


def respond(inside: str, **arguments: str) -> str:
    repeated = "".join(f' {name.rstrip("_")}="{value}"' for name, value in arguments.items())
    return (
        f'<OAI-PMH xmlns="{OAI}" xmlns:xsi="{XSI}" xsi:schemaLocation="{OAI} {OAI}OAI-PMH.xsd">'
        "<responseDate>2024-06-01T12:00:00Z</responseDate>"
        f"<request{repeated}>https://x.example/oai</request>{inside}</OAI-PMH>"
    )


PROVENANCE = (
    f'<provenance xmlns="{OAI}provenance"><originDescription'
    ' harvestDate="2024-05-01T00:00:00Z" altered="true">'
    "<baseURL>https://a.example/oai</baseURL><identifier>oai:a:1</identifier><datestamp>2024-01-01</datestamp>"
    "<metadataNamespace>urn:a</metadataNamespace>"
    '<originDescription harvestDate="2024-04-01" altered="false">'
    "<baseURL>https://b.example/oai</baseURL><identifier>oai:b:1</identifier><datestamp>2023-01-01</datestamp>"
    "<metadataNamespace>urn:b</metadataNamespace></originDescription></originDescription></provenance>"
)
RIGHTS = f'<rights xmlns="{OAI}rights/"><rightsReference ref="https://x.example/cc0"/></rights>'
RECORD = (
    "<record><header><identifier>oai:x:1</identifier><datestamp>2024-01-01T00:00:00Z</datestamp>"
    "<setSpec>a:b</setSpec><setSpec>c</setSpec></header>"
    f'<metadata><o:dc {DC}><dc:title xml:lang="fi">Heinä</dc:title><dc:date/></o:dc></metadata>'
    f"<about>{PROVENANCE}</about><about>{RIGHTS}</about><about>{FOREIGN}</about></record>"
)
DELETED = (
    '<record><header status="deleted"><identifier>oai:x:2</identifier><datestamp>2024-01-02</datestamp>'
    "</header></record>"
)
TOKEN = (
    '<resumptionToken expirationDate="2024-06-01T13:00:00Z" completeListSize="9" cursor="0">t'
    "</resumptionToken>"
)
DESCRIPTIONS = {
    "oai-identifier": (
        f'<oai-identifier xmlns="{OAI}oai-identifier"><scheme>oai</scheme>'
        "<repositoryIdentifier>x.example</repositoryIdentifier><delimiter>:</delimiter>"
        "<sampleIdentifier>oai:x.example:1/2</sampleIdentifier></oai-identifier>"
    ),
    "branding": (
        f'<branding xmlns="{OAI}branding/"><collectionIcon><url>https://x.example/i.png</url>'
        "<link>https://x.example/</link><title>X</title><width>88</width><height>31</height></collectionIcon>"
        '<metadataRendering metadataNamespace="urn:a" mimeType="text/css">https://x.example/c.css'
        "</metadataRendering></branding>"
    ),
    "friends": f'<friends xmlns="{OAI}friends/"><baseURL>https://y.example/oai</baseURL></friends>',
    "toolkit": (
        '<toolkit xmlns="http://oai.dlib.vt.edu/OAI/metadata/toolkit"><title>Tool</title><author>'
        "<name>N</name><email>n@x.example</email></author><version>1</version>"
        "<URL>https://x.example/</URL></toolkit>"
    ),
    "eprints": (
        '<eprints xmlns="http://www.openarchives.org/OAI/1.1/eprints"><content><text>Hay</text></content>'
        "<metadataPolicy><URL>https://x.example/m</URL></metadataPolicy><dataPolicy/><comment>c</comment></eprints>"
    ),
    "rights": (
        f'<rightsManifest xmlns="{OAI}rights/" appliesTo="{OAI}entity#metadata"><rights><rightsDefinition>'
        f"{FOREIGN}</rightsDefinition></rights></rightsManifest>"
    ),
    "foreign": FOREIGN,
}
IDENTIFY = (
    "<Identify><repositoryName>X</repositoryName><baseURL>https://x.example/oai</baseURL>"
    "<protocolVersion>2.0</protocolVersion><adminEmail>a@x.example</adminEmail>"
    "<earliestDatestamp>2020-01-01</earliestDatestamp><deletedRecord>no</deletedRecord>"
    "<granularity>YYYY-MM-DD</granularity><compression>gzip</compression>"
    + "".join(f"<description>{each}</description>" for each in DESCRIPTIONS.values())
    + "</Identify>"
)
SET = f"<set><setSpec>a:b</setSpec><setName>A</setName><setDescription><o:dc {DC}/></setDescription></set>"
FORMAT = (
    "<metadataFormat><metadataPrefix>oai_dc</metadataPrefix><schema>https://x.example/dc.xsd</schema>"
    f"<metadataNamespace>{OAI}oai_dc/</metadataNamespace></metadataFormat>"
)
HEADER = "<header><identifier>oai:x:1</identifier><datestamp>2024-01-01</datestamp></header>"
DELETED_HEADER = HEADER.replace("<header>", '<header status="deleted">')

SOUND = {
    "Identify": respond(IDENTIFY, verb="Identify"),
    "ListMetadataFormats": respond(
        f"<ListMetadataFormats>{FORMAT}{FORMAT}</ListMetadataFormats>",
        verb="ListMetadataFormats",
        identifier="oai:x:1",
    ),
    "ListSets": respond(f"<ListSets>{SET}{SET}{TOKEN}</ListSets>", verb="ListSets"),
    "GetRecord": respond(
        f"<GetRecord>{RECORD}</GetRecord>", verb="GetRecord", identifier="oai:x:1", metadataPrefix="oai_dc"
    ),
    "ListIdentifiers": respond(
        f"<ListIdentifiers>{HEADER}{DELETED_HEADER}{TOKEN}</ListIdentifiers>",
        verb="ListIdentifiers",
        resumptionToken="t",
    ),
    "ListRecords": respond(
        f"<ListRecords>{RECORD}{DELETED}<resumptionToken/></ListRecords>",
        verb="ListRecords",
        metadataPrefix="oai_dc",
        from_="2024-01-01",
        until="2024-01-02",
        set="a:b",
    ),
    "foreign metadata": respond(
        f"<ListRecords><record>{HEADER}<metadata>{FOREIGN}</metadata></record></ListRecords>",
        verb="ListRecords",
        metadataPrefix="hay",
    ),
    "badVerb": respond('<error code="badVerb">No</error><error code="badArgument"/>'),
    "noRecordsMatch": respond('<error code="noRecordsMatch"/>', verb="ListRecords", metadataPrefix="oai_dc"),
    "noSetHierarchy": respond('<error code="noSetHierarchy"/>', verb="ListSets"),
    "idDoesNotExist": respond(
        '<error code="idDoesNotExist"/>', verb="GetRecord", identifier="x", metadataPrefix="a"
    ),
}


class Mutation(NamedTuple):
    """One place of a sound response made wrong."""

    response: str
    right: str
    wrong: str
    is_for_both: bool = True  # do the official schemas refuse it too?

    @property
    def broken(self) -> bytes:
        whole = SOUND[self.response]
        assert self.right in whole
        return whole.replace(self.right, self.wrong, 1).encode()


OWN_ONLY = False
MUTATIONS = [
    Mutation("Identify", OAI, "http://www.openarchives.org/OAI/3.0/"),
    Mutation("Identify", "<responseDate>2024-06-01T12:00:00Z</responseDate>", ""),
    Mutation("Identify", "2024-06-01T12:00:00Z</resp", "yesterday</resp"),
    Mutation("Identify", "2024-06-01T12:00:00Z</resp", "2024-06-01T12:00:00.5Z</resp", OWN_ONLY),
    Mutation("Identify", "2024-06-01T12:00:00Z</resp", "2024-06-01T12:00:00+02:00</resp", OWN_ONLY),
    Mutation("Identify", "2024-06-01T12:00:00Z</resp", "2024-13-01T12:00:00Z</resp"),
    Mutation("Identify", '<request verb="Identify">https://x.example/oai</request>', ""),
    Mutation("Identify", 'verb="Identify"', 'verb="Harvest"'),
    Mutation("Identify", 'verb="Identify"', 'verb="ListSets"', OWN_ONLY),
    Mutation("Identify", 'verb="Identify"', 'verb="Identify" metadataPrefix="oai_dc"', OWN_ONLY),
    Mutation("Identify", 'verb="Identify"', 'verb="Identify" page="2"'),
    Mutation("Identify", "<repositoryName>X</repositoryName>", ""),
    Mutation("Identify", "<Identify>", "<Identify><deletedRecord>no</deletedRecord>"),
    Mutation("Identify", "<protocolVersion>2.0", "<protocolVersion>1.1"),
    Mutation("Identify", "<adminEmail>a@x.example</adminEmail>", ""),
    Mutation("Identify", "a@x.example", "the librarian"),
    Mutation("Identify", "a@x.example", "a@localhost"),
    Mutation("Identify", "2020-01-01", "2020-01"),
    Mutation("Identify", "<deletedRecord>no", "<deletedRecord>sometimes"),
    Mutation("Identify", "<granularity>YYYY-MM-DD", "<granularity>DD.MM.YYYY"),
    Mutation("Identify", "<compression>gzip", "<compression>identity", OWN_ONLY),
    Mutation("Identify", "</Identify>", "<description/></Identify>"),
    Mutation("Identify", "</Identify>", "<news>none</news></Identify>"),
    Mutation("Identify", "</Identify>", "words</Identify>"),
    Mutation("Identify", f"<description>{FOREIGN}", f"<description>{FOREIGN * 2}"),
    Mutation("Identify", f"<description>{FOREIGN}", "<description><bare xmlns=''/>"),
    Mutation("Identify", "<scheme>oai", "<scheme>doi"),
    Mutation("Identify", "<delimiter>:", "<delimiter>/"),
    Mutation("Identify", "<repositoryIdentifier>x.example", "<repositoryIdentifier>x"),
    Mutation("Identify", "oai:x.example:1/2", "x.example:1/2"),
    Mutation("Identify", "oai:x.example:1/2", "oai:x.example:1 2"),
    Mutation("Identify", "<url>https://x.example/i.png</url>", ""),
    Mutation("Identify", "<width>88", "<width>wide"),
    Mutation("Identify", 'mimeType="text/css"', 'mimeType="css"'),
    Mutation("Identify", "<baseURL>https://y.example/oai</baseURL>", "<enemy/>"),
    Mutation("Identify", "<baseURL>https://y.example/oai</baseURL>", "", OWN_ONLY),
    Mutation("Identify", "<title>Tool</title>", "<tool/>"),
    Mutation("Identify", "<version>1</version>", "<version>1</version><title>Twice</title>"),
    Mutation("Identify", "<dataPolicy/>", "", OWN_ONLY),
    Mutation("Identify", f"{OAI}entity#metadata", "urn:everything", OWN_ONLY),
    Mutation("Identify", FOREIGN, "", OWN_ONLY),  # the definition of rights, which comes first
    Mutation("ListMetadataFormats", f"{FORMAT}{FORMAT}", ""),
    Mutation("ListMetadataFormats", "<metadataPrefix>oai_dc", "<metadataPrefix>oai dc"),
    Mutation("ListMetadataFormats", "<schema>https://x.example/dc.xsd</schema>", ""),
    Mutation("ListMetadataFormats", "<schema>https://x.example/dc.xsd", "<schema>50%"),
    Mutation("ListMetadataFormats", 'identifier="oai:x:1"', 'identifier="100%"'),
    Mutation("ListMetadataFormats", 'identifier="oai:x:1"', 'set="a"', OWN_ONLY),
    Mutation("ListSets", f"{SET}{SET}", ""),
    Mutation("ListSets", "<setSpec>a:b", "<setSpec>a:"),
    Mutation("ListSets", "<setSpec>a:b", "<setSpec>a b"),
    Mutation("ListSets", "<setSpec>a:b", "<setSpec>å"),
    Mutation("ListSets", "<setName>A</setName>", ""),
    Mutation("ListSets", f"<o:dc {DC}/>", ""),
    Mutation("ListSets", TOKEN, TOKEN * 2),
    Mutation("ListSets", 'completeListSize="9"', 'completeListSize="many"'),
    Mutation("ListSets", 'completeListSize="9"', 'completeListSize="0"'),
    Mutation("ListSets", 'cursor="0"', 'cursor="-1"'),
    Mutation("ListSets", 'cursor="0"', 'page="1"'),
    Mutation("ListSets", "2024-06-01T13:00:00Z", "soon"),
    Mutation("GetRecord", RECORD, ""),
    Mutation("GetRecord", RECORD, RECORD * 2),
    Mutation("GetRecord", ' metadataPrefix="oai_dc"', "", OWN_ONLY),
    Mutation("GetRecord", 'metadataPrefix="oai_dc"', 'metadataPrefix="oai dc"'),
    Mutation("GetRecord", "<identifier>oai:x:1</identifier>", ""),
    Mutation("GetRecord", "<identifier>oai:x:1", "<identifier>100%"),
    Mutation("GetRecord", "<datestamp>2024-01-01T00:00:00Z", "<datestamp>2024-01-01T00:00:00"),
    Mutation("GetRecord", "<datestamp>2024-01-01T00:00:00Z", "<datestamp>2024-02-30"),
    Mutation("GetRecord", "<datestamp>2024-01-01T00:00:00Z", "<datestamp>2024-01-01Z", OWN_ONLY),
    Mutation("GetRecord", "<header>", '<header status="alive">'),
    Mutation("GetRecord", "<header>", '<header status="deleted">', OWN_ONLY),
    Mutation("GetRecord", "<setSpec>c</setSpec>", "<setSpec/>"),
    Mutation("GetRecord", "<metadata>", f"<metadata>{FOREIGN}"),
    Mutation("GetRecord", "<about>", "<about/><about>"),
    Mutation("GetRecord", "<dc:date/>", "<dc:nonsense/>"),
    Mutation("GetRecord", "<dc:date/>", "<title/>"),
    Mutation("GetRecord", "<dc:date/>", "<dc:date><b/></dc:date>"),
    Mutation("GetRecord", "<dc:date/>", '<dc:date scheme="W3CDTF"/>'),
    Mutation("GetRecord", "<dc:date/>", "words"),
    Mutation("GetRecord", 'xml:lang="fi"', 'xml:lang="no such language"'),
    Mutation("GetRecord", ' altered="true"', ""),
    Mutation("GetRecord", ' altered="true"', ' altered="perhaps"'),
    Mutation("GetRecord", ' harvestDate="2024-04-01"', ' harvestDate="April"'),
    Mutation("GetRecord", "<identifier>oai:b:1</identifier>", ""),
    Mutation("GetRecord", "<datestamp>2023-01-01", "<datestamp>2023"),
    Mutation("GetRecord", PROVENANCE, f'<provenance xmlns="{OAI}provenance"/>'),
    Mutation("GetRecord", ' ref="https://x.example/cc0"', "", OWN_ONLY),
    Mutation("ListIdentifiers", HEADER, RECORD),
    Mutation("ListIdentifiers", 'resumptionToken="t"', 'resumptionToken="t" metadataPrefix="a"', OWN_ONLY),
    Mutation("ListIdentifiers", ' resumptionToken="t"', "", OWN_ONLY),
    Mutation("ListRecords", "<metadata>", "<data>x</data><metadata>"),
    Mutation("ListRecords", ' from="2024-01-01"', ' from="2024"'),
    Mutation("ListRecords", ' set="a:b"', ' set="a::b"'),
    Mutation("ListRecords", ' set="a:b"', ' identifier="oai:x:1"', OWN_ONLY),
    Mutation("ListRecords", DELETED, DELETED.replace("</record>", "<metadata/></record>")),
    Mutation(
        "ListRecords", DELETED, DELETED.replace("</record>", f"<about>{FOREIGN}</about></record>"), OWN_ONLY
    ),
    Mutation("ListRecords", "<ListRecords>", '<ListRecords><error code="noRecordsMatch"/>'),
    Mutation("ListRecords", "<resumptionToken/>", f"<resumptionToken/>{DELETED}"),
    Mutation("foreign metadata", f"<metadata>{FOREIGN}</metadata>", "", OWN_ONLY),
    Mutation("foreign metadata", FOREIGN, ""),
    Mutation("foreign metadata", FOREIGN, "words"),
    Mutation("foreign metadata", FOREIGN, "<record/>"),
    Mutation("foreign metadata", FOREIGN, FOREIGN * 2),
    Mutation("badVerb", "badVerb", "serviceUnavailable"),
    Mutation("badVerb", '<error code="badVerb">No</error><error code="badArgument"/>', ""),
    Mutation("badVerb", ' code="badVerb"', ""),
    Mutation("badVerb", "<request>", '<request verb="Identify">', OWN_ONLY),
    Mutation("noRecordsMatch", ' metadataPrefix="oai_dc"', "", OWN_ONLY),
    Mutation("noRecordsMatch", "noRecordsMatch", "idDoesNotExist", OWN_ONLY),
    Mutation("noSetHierarchy", "noSetHierarchy", "noRecordsMatch", OWN_ONLY),
    Mutation("idDoesNotExist", "idDoesNotExist", "noSetHierarchy", OWN_ONLY),
    Mutation("idDoesNotExist", "</OAI-PMH>", "<Identify/></OAI-PMH>"),
]  # fmt: skip
by_mutation = pytest.mark.parametrize(
    "mutation", MUTATIONS, ids=lambda each: f"{each.response}-{each.wrong}"[:60]
)


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_response_is_accepted(name: str) -> None:
    validate(SOUND[name].encode())


@by_mutation
def test_a_response_with_one_fault_is_refused(mutation: Mutation) -> None:
    assert not own_schema().validate(etree.fromstring(mutation.broken))
    with pytest.raises(AssertionError):
        validate(mutation.broken)


def test_the_official_schemas_refuse_what_ours_do_as_far_as_they_can() -> None:
    folder = shared("xsd")
    assert {each for each in MUTATIONS if is_refused_officially(each, folder)} == {
        each for each in MUTATIONS if each.is_for_both
    }


def is_refused_officially(mutation: Mutation, folder: Path) -> bool:
    try:
        validate_officially(etree.fromstring(mutation.broken), folder)
    except AssertionError:
        return True
    return False


def test_what_is_no_response_is_refused() -> None:
    with pytest.raises(AssertionError):
        validate(b"<OAI-PMH/>")


def test_dublin_core_alone_is_judged_by_the_same_grammar() -> None:
    validate_oai_dc(f"<o:dc {DC}><dc:title>x</dc:title><dc:date/><dc:title/></o:dc>".encode())
    for wrong in ("<dc:nonsense/>", "<o:title/>", "<dc:title><i/></dc:title>", "x"):
        with pytest.raises(AssertionError):
            validate_oai_dc(f"<o:dc {DC}>{wrong}</o:dc>".encode())
    with pytest.raises(AssertionError):
        validate_oai_dc(SOUND["badVerb"].encode())


def test_uris_are_told_from_what_is_none() -> None:
    assert is_uri("oai:x:1")
    assert not is_uri("100%")
