from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.formats.mapping.identifier_schemes import parse_identifier
from windrow.model.document import Identifier


@pytest.mark.parametrize(
    ("text", "scheme", "value"),
    [
        ("doi:10.1103/Phys.102", "doi", "10.1103/Phys.102"),
        ("DOI 10.1103/Phys.102.", "doi", "10.1103/Phys.102"),
        ("10.1594/PANGAEA.548413", "doi", "10.1594/PANGAEA.548413"),
        ("https://doi.org/10.5281/zenodo.1", "doi", "10.5281/zenodo.1"),
        ("http://dx.doi.org/10.1000%2F182", "doi", "10.1000/182"),
        ("info:doi/10.1234/x", "doi", "10.1234/x"),
        ("hdl:2200/2008T", "hdl", "2200/2008T"),
        ("http://hdl.handle.net/1721.1/92499", "hdl", "1721.1/92499"),
        ("ISSN: 0040-6090", "issn", "0040-6090"),
        ("0012-821X", "issn", "0012-821X"),
        ("ISBN: 9780306407536", "isbn", "9780306407536"),
        ("ISBN 978-0-306-40615-7 (nid.)", "isbn", "978-0-306-40615-7"),
        ("978-0-306-40615-7", "isbn", "978-0-306-40615-7"),
        ("0-306-40615-2", "isbn", "0-306-40615-2"),
        ("urn:nbn:se:liu:diva-140926", "urn", "urn:nbn:se:liu:diva-140926"),
        ("urn:urn:nbn:de:0183-mbi1", "urn", "urn:nbn:de:0183-mbi1"),
        ("http://urn.example.se/resolve?urn=urn:nbn:se:liu:1", "urn", "urn:nbn:se:liu:1"),
        ("http://urn.example.fi/URN:NBN:fi:amk-2014", "urn", "URN:NBN:fi:amk-2014"),
        ("arXiv:0705.4175v2", "arxiv", "0705.4175v2"),
        ("oai:arXiv.org:hep-th/9901001", "arxiv", "hep-th/9901001"),
        ("http://arxiv.org/abs/0709.2184", "arxiv", "0709.2184"),
        ("PMID: 26732457", "pmid", "26732457"),
        ("https://pubmed.ncbi.nlm.nih.gov/26732457/", "pmid", "26732457"),
        ("PMC1234567", "pmcid", "PMC1234567"),
        ("0000-0002-1825-0097", "orcid", "0000-0002-1825-0097"),
        ("https://orcid.org/0000-0002-1825-0097", "orcid", "0000-0002-1825-0097"),
        ("oai:repo.example.org:1721.1/97638", "oai", "oai:repo.example.org:1721.1/97638"),
        ("oai:doaj.example.org/article:abc", "oai", "oai:doaj.example.org/article:abc"),
        ("Box 4, Folder 15", "local", "Box 4, Folder 15"),
        ("2043/15776", "local", "2043/15776"),
        ("1997-1998", "local", "1997-1998"),
        ("0012-8210", "local", "0012-8210"),
        ("978-0-306-40615-8", "local", "978-0-306-40615-8"),
        ("0000-0002-1825-0098", "local", "0000-0002-1825-0098"),
        ("javascript:alert(1)", "local", "javascript:alert(1)"),
    ],
)
def test_an_identifier_is_known_by_prefix_address_or_check_digit(text: str, scheme: str, value: str) -> None:
    assert parse_identifier(text) == Identifier(scheme, value)


@pytest.mark.parametrize(
    "text", ["", "  ", "https://example.org/12", "ftp://example.org/a", "HTTP://EXAMPLE.ORG/"]
)
def test_an_address_that_names_nothing_is_no_identifier(text: str) -> None:
    assert parse_identifier(text) is None


@given(st.text(min_size=1))
def test_a_name_is_never_empty(text: str) -> None:
    name = parse_identifier(text)
    assert name is None or (name.value.strip() and name.scheme)


_STEMS = """
urn:nbn:fi:x- URN:NBN:se:uu:diva- urn:isbn: urn:a: urn:ab: urn:ab urn: urn URN:urn: urn:urn:nbn:de:
urn:urn:nbn urn:doi:10.1234/ urn:doi:10. urn:doi:10.1234/x. urn:doi: urn:nbn:x/2001/ u U
"""


@given(st.sampled_from([*_STEMS.split(), "urn:nbn: fi:", "urn:nbn:fi:x "]), st.integers(0, 10**12))
def test_the_number_at_the_end_of_a_urn_changes_nothing(stem: str, number: int) -> None:
    # A letter behind the number makes it one like any other text, which goes through every rule.
    spelled = parse_identifier(f"{stem}{number}x")
    assert spelled is not None
    assert parse_identifier(f"{stem}{number}") == Identifier(spelled.scheme, spelled.value.removesuffix("x"))
