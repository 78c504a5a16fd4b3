"""Who came by, on the page on status."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.unit.search.catalogue import Catalogue
from tests.unit.web.portal.stage import Page, Portal, staged
from windrow.store import visit_counts
from windrow.store.store import Store
from windrow.store.visit_counts import CRAWLER, SEARCH, VisitGroup
from windrow.web.http.visitors import OTHER_ROBOTS
from windrow.web.portal.status_pages import DAYS_SHOWN, summarise_visits

NOON = datetime(2024, 6, 1, 12, tzinfo=UTC)


def count(store: Store, kind: str, family: str, counts: dict[int, int]) -> None:
    """Add counts by how many days ago they were."""
    store.clock = NOON.timestamp
    days = {age: (NOON - timedelta(days=age)).date().isoformat() for age in counts}
    with store.writing() as connection:
        visit_counts.add(
            connection, {VisitGroup(days[age], kind, family): each for age, each in counts.items()}
        )


def cells(page: Page, heading: str) -> list[list[str]]:
    """The rows of the table whose first column has this heading."""
    rows = page.root.xpath(
        "//table[normalize-space(thead//th[1]) = $heading]/*[self::tbody or self::tfoot]/tr", heading=heading
    )
    return [[" ".join(cell.text_content().split()) for cell in row] for row in rows]


def test_families_are_summed_over_a_day_a_week_and_a_month_the_most_frequent_first(
    catalogue: Catalogue,
) -> None:
    store = catalogue.store
    count(store, CRAWLER, "Bing", {0: 1, 6: 10, 7: 100, 29: 1000, 30: 10_000})
    count(store, CRAWLER, "Google", {1: 5000})
    found = summarise_visits(store)
    assert [(each.name, each.today, each.week, each.month) for each in found.crawlers] == [
        ("Google", 0, 5000, 5000),
        ("Bing", 1, 11, 1111),
    ]
    assert (found.all_crawlers.today, found.all_crawlers.month) == (1, 6111)
    assert found.engines == []


def test_each_day_has_the_most_frequent_families_and_all_others_together(catalogue: Catalogue) -> None:
    store = catalogue.store
    for number in range(8):
        count(store, CRAWLER, f"family {number}", {2: 10 * (number + 1)})
    count(store, SEARCH, "Google", {0: 4})
    found = summarise_visits(store)
    assert found.columns == ["family 7", "family 6", "family 5", "family 4", "family 3"]
    assert [each.day.isoformat() for each in found.days] == ["2024-06-01", "2024-05-31", "2024-05-30"]
    today, between, first = found.days
    assert (today.crawlers, today.searches) == (0, 4)
    assert (between.crawlers, between.searches, between.others) == (0, 0, 0)
    assert (first.families, first.others, first.crawlers) == ((80, 70, 60, 50, 40), 60, 360)


def test_no_more_days_are_shown_than_were_looked_at(catalogue: Catalogue) -> None:
    count(catalogue.store, CRAWLER, "Bing", dict.fromkeys(range(50), 1))
    assert len(summarise_visits(catalogue.store).days) == DAYS_SHOWN


def test_a_day_that_is_still_to_come_counts_as_today(catalogue: Catalogue) -> None:
    count(catalogue.store, CRAWLER, "Bing", {-2: 3})
    (bing,) = summarise_visits(catalogue.store).crawlers
    assert (bing.today, bing.month) == (3, 3)


def test_the_page_on_status_shows_who_came_by(tmp_path: Path, catalogue: Catalogue) -> None:
    count(catalogue.store, CRAWLER, "Google", {0: 1234, 3: 1})
    count(catalogue.store, CRAWLER, OTHER_ROBOTS, {0: 1})
    count(catalogue.store, SEARCH, "Google Scholar", {0: 2})
    with staged(tmp_path, catalogue) as portal:
        page = portal.page("/status")
        assert cells(page, "Crawler") == [
            ["Google", "1,234", "1,235", "1,235"],
            ["other robots", "1", "1", "1"],
            ["All together", "1,235", "1,236", "1,236"],
        ]
        assert cells(page, "Search engine") == [["Google Scholar", "2", "2", "2"]]
        assert cells(page, "Day (UTC)")[0] == ["1 June 2024", "1,234", "1", "1,235", "2"]
        assert len(cells(page, "Day (UTC)")) == 4
        finnish = portal.page("/status", language="fi")
        assert cells(finnish, "Hakurobotti")[1][0] == "muut robotit"


def test_while_nobody_came_the_page_says_so_in_words(portal: Portal) -> None:
    page = portal.page("/status")
    assert "No crawler came in the last 30 days." in page.words
    assert "Nobody came from a search engine in the last 30 days." in page.words
    assert page.root.xpath("//details") == []
