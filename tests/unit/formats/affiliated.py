"""One person with two institutions, in every format that can say so."""

from __future__ import annotations

DATACITE = """
<resource xmlns="http://datacite.org/schema/kernel-4"><creators><creator><creatorName>Mower, Ann</creatorName>
<affiliation>Barn; West</affiliation><affiliation>Field</affiliation></creator></creators></resource>"""
MODS = """
<mods xmlns="http://www.loc.gov/mods/v3"><name><namePart>Mower, Ann</namePart>
<affiliation>Barn; West</affiliation><affiliation>Field</affiliation></name></mods>"""
MARC = """
<record xmlns="http://www.loc.gov/MARC21/slim"><datafield tag="100"><subfield code="a">Mower, Ann</subfield>
<subfield code="u">Barn; West</subfield><subfield code="u">Field</subfield></datafield></record>"""
ARXIV = """
<arXiv xmlns="http://arxiv.org/OAI/arXiv/"><authors><author><keyname>Mower</keyname><forenames>Ann</forenames>
<affiliation>Barn; West</affiliation><affiliation>Field</affiliation></author></authors></arXiv>"""
JPCOAR = """
<jpcoar xmlns="https://github.com/JPCOAR/schema/blob/master/2.0/"><creator>
<creatorName>Mower, Ann</creatorName>
<affiliation><affiliationName>Barn; West</affiliationName><affiliationName>B</affiliationName></affiliation>
<affiliation><affiliationName>Field</affiliationName></affiliation></creator></jpcoar>"""
DOAJ = """
<doajArticle xmlns="https://doaj.org/features/oai_doaj/1.0/"><authors><author><name>Mower, Ann</name>
<affiliationId>1</affiliationId><affiliationId>2</affiliationId></author></authors><affiliationsList>
<affiliationName affiliationId="1">Barn; West</affiliationName>
<affiliationName affiliationId="2">Field</affiliationName></affiliationsList></doajArticle>"""
RDF = """
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dcterms="http://purl.org/dc/terms/"
 xmlns:schema="http://schema.org/"><rdf:Description rdf:about="https://barn.example/1"><dcterms:creator>
<schema:Person><schema:name>Mower, Ann</schema:name><schema:affiliation>Barn; West</schema:affiliation>
<schema:affiliation>Field</schema:affiliation></schema:Person></dcterms:creator></rdf:Description></rdf:RDF>"""
FORMATS = {
    "oai_datacite": DATACITE,
    "mods": MODS,
    "marcxml": MARC,
    "arXiv": ARXIV,
    "jpcoar": JPCOAR,
    "oai_doaj": DOAJ,
    "rdf": RDF,
}
