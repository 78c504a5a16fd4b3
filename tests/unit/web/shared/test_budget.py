from __future__ import annotations

import pytest

from tests.unit.web.shared.test_gate import Clock
from windrow.web.http.rate_limits import GoodCrawler, PageRateLimiter, PageRateLimits, RateLimit

ONE, TWO = "203.0.113.7", "203.0.113.8"  # neighbours in one network
FAR = "198.51.100.7"
BROWSER = b"Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0"
GOOGLEBOT = b"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
GOOGLE = GoodCrawler("google", "googlebot", ("192.0.2.0/24", "2001:db8:90::/48"), RateLimit(5, 10))
FREE, SLOW = RateLimit(0, 1), RateLimit(1, 2)


def made(
    *good: GoodCrawler, client: RateLimit = SLOW, network: RateLimit = FREE, clock: Clock | None = None
) -> PageRateLimiter:
    return PageRateLimiter(PageRateLimits(client, network, good), clock=clock or Clock())


def ask(budget: PageRateLimiter, client: str, times: int = 1, agent: bytes = BROWSER) -> list[int]:
    return [budget.wait(client, agent) for _ in range(times)]


def test_after_its_burst_a_client_has_its_rate() -> None:
    clock = Clock()
    budget = made(client=RateLimit(0.5, 3), clock=clock)
    assert ask(budget, ONE, 4) == [0, 0, 0, 2]
    clock.now += 2
    assert ask(budget, ONE, 2) == [0, 2]


def test_whoever_waits_as_long_as_told_is_let_in() -> None:
    clock = Clock()
    budget = made(client=RateLimit(0.1, 1), network=RateLimit(0.2, 2), clock=clock)
    assert ask(budget, ONE) == [0]
    (seconds,) = ask(budget, ONE)
    clock.now += seconds
    assert (seconds, ask(budget, ONE)) == (10, [0])


def test_neighbours_share_the_budget_of_their_network_and_strangers_do_not() -> None:
    budget = made(client=RateLimit(1, 2), network=RateLimit(1, 3))
    assert ask(budget, ONE, 3) == [0, 0, 1]
    assert ask(budget, TWO, 2) == [0, 1]
    assert ask(budget, FAR, 2) == [0, 0]


def test_a_refused_request_costs_neither_its_client_nor_its_network_anything() -> None:
    budget = made(client=RateLimit(1, 1), network=RateLimit(1, 2))
    assert ask(budget, ONE, 100)[:2] == [0, 1]
    assert ask(budget, TWO) == [0]
    clock = Clock()
    budget = made(client=RateLimit(1, 1), network=RateLimit(0.1, 1), clock=clock)
    assert ask(budget, ONE) == [0]
    assert ask(budget, TWO, 50) == [10] * 50
    clock.now += 10
    assert ask(budget, TWO) == [0]


def test_an_ipv6_customer_is_one_client_and_a_site_one_network() -> None:
    budget = made(client=RateLimit(1, 1), network=RateLimit(1, 2))
    assert ask(budget, "2001:db8:1:1::1") == [0]
    assert ask(budget, "2001:db8:1:1:ffff::2") == [1]  # the same /64
    assert ask(budget, "2001:db8:1:2::1") == [0]  # the next one of the same /48
    assert ask(budget, "2001:db8:1:3::1") == [1]  # whose budget is used up
    assert ask(budget, "2001:db8:2:1::1") == [0]


def test_this_machines_own_people_have_no_limit() -> None:
    assert set(ask(made(client=RateLimit(1, 1), network=RateLimit(1, 1)), "", 100)) == {0}


def test_without_a_rate_there_is_no_limit() -> None:
    assert set(ask(made(client=FREE), ONE, 1000)) == {0}


def test_a_good_crawler_has_a_budget_of_its_own_for_all_its_addresses() -> None:
    budget = made(GOOGLE, client=RateLimit(1, 1), network=RateLimit(1, 1))
    asked = [budget.wait(f"192.0.2.{number}", GOOGLEBOT) for number in range(11)]
    assert asked == [0] * 10 + [1]
    assert ask(budget, "2001:db8:90:7::1", agent=GOOGLEBOT) == [1]
    assert ask(budget, "192.0.2.1") == [0]  # a person at the same network pays nothing for it


@pytest.mark.parametrize("rate", [RateLimit(0, 5), RateLimit(5, 0), RateLimit(0, 0)])
def test_a_good_crawler_may_be_without_limit(rate: RateLimit) -> None:
    budget = made(GoodCrawler("ours", "ourbot", (), rate), client=RateLimit(1, 1))
    assert set(ask(budget, ONE, 1000, b"OurBot/1.0")) == {0}


def test_whoever_claims_to_be_a_good_crawler_from_elsewhere_is_anybody() -> None:
    budget = made(GOOGLE, client=RateLimit(1, 2))
    assert ask(budget, ONE, 4, GOOGLEBOT) == [0, 0, 1, 1]


def test_a_good_crawler_without_networks_is_believed_by_its_word() -> None:
    budget = made(GoodCrawler("ours", "ourbot", (), RateLimit(1, 50)), client=RateLimit(1, 1))
    assert set(ask(budget, ONE, 50, b"OURBOT (ours)")) == {0}


@pytest.mark.parametrize(
    "agent", [b"Googlebotany/1.0", b"notgooglebot", b"", b"\xff\xfe", b"googl" + b"e" * 70_000]
)
def test_only_the_whole_word_is_the_crawlers_name(agent: bytes) -> None:
    budget = made(GoodCrawler("google", "googlebot", (), RateLimit(1, 50)), client=RateLimit(1, 1))
    assert ask(budget, ONE, 2, agent) == [0, 1]


def test_the_memory_of_clients_and_networks_is_bounded() -> None:
    budget = PageRateLimiter(PageRateLimits(RateLimit(1, 1), RateLimit(1, 1)), clock=Clock())
    for number in range(30_000):
        budget.wait(f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}", BROWSER)
        budget.wait(f"2001:db8:{number:x}::1", BROWSER)
    assert len(budget._clients) <= 20_001
    assert len(budget._networks) <= 20_001
