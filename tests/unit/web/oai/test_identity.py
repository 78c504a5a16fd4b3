from __future__ import annotations

import pytest
from lxml import etree

from tests.unit.web.oai.holdings import NOON, Holdings, live
from windrow import __version__
from windrow.protocols.oai.provider_request import format_request_date


def test_a_repository_says_what_it_is(library: Holdings) -> None:
    library.configure('[library]\nname = "Barn"\n[oai]\nadmin_email = "ann@barn.example"\n')
    library.write(live("oai:x:1"), at=NOON - 100)
    library.write(live("oai:x:2"), at=NOON)
    whole, one = library.ask("Identify"), library.ask("Identify", at="hay")
    assert whole.texts("repositoryName") == ["Barn"]
    assert one.texts("repositoryName") == ["Barn: hay"]
    assert whole.texts("baseURL") == ["https://library.example/oai"]
    assert one.texts("baseURL") == ["https://library.example/oai/hay"]
    assert whole.texts("adminEmail") == ["ann@barn.example"]
    assert whole.texts("earliestDatestamp") == [format_request_date(NOON - 100)]
    assert whole.texts("deletedRecord") == ["persistent"]
    assert whole.texts("granularity") == ["YYYY-MM-DDThh:mm:ssZ"]
    assert whole.texts("compression") == ["gzip"]
    assert f"<version>{__version__}</version>".encode() in whole.body


def test_every_description_that_is_configured_is_given_and_valid(library: Holdings) -> None:
    library.configure(
        '[oai]\nrepository_identifier = "barn.example"\nfriends = ["https://oats.example/oai"]\n'
        'branding_icon = "https://barn.example/icon.png"\nbranding_link = "https://barn.example/"\n'
        'branding_title = "The <barn> & its hay"\ncompress = false\n'
    )
    answer = library.ask("Identify")
    blocks = [etree.QName(each[0]).localname for each in answer.root.iter("{*}description")]
    assert sorted(blocks) == ["branding", "friends", "oai-identifier", "toolkit"]
    assert answer.texts("compression") == []


@pytest.mark.parametrize(
    ("settings", "mail"),
    [
        ('[library]\ncontact = "mailto:ann@barn.example"\n', "ann@barn.example"),
        ('[library]\ncontact = "https://barn.example/about"\n', "webmaster@library.example"),
        ("", "webmaster@library.example"),
    ],
)
def test_there_is_always_somebody_to_write_to(library: Holdings, settings: str, mail: str) -> None:
    library.configure(settings)
    assert library.ask("Identify").texts("adminEmail") == [mail]


def test_no_record_is_older_than_the_earliest_datestamp(library: Holdings) -> None:
    library.write(live("oai:x:1"), at=NOON - 50)
    library.write(live("oai:y:1"), source="oats", at=NOON)
    for at in ("", "hay", "oats"):
        (earliest,) = library.ask("Identify", at=at).texts("earliestDatestamp")
        headers = library.ask("ListIdentifiers", at=at, metadataPrefix="oai_dc").headers
        assert min(header.stamp for header in headers) >= earliest
