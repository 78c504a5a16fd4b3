"""`python scrapy_crawl.py URL OUT`: Scrapy follows every link of a site and writes one line a page."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from scrapy import Spider
from scrapy.crawler import CrawlerProcess
from scrapy.http import HtmlResponse, Request, Response
from scrapy.linkextractors import LinkExtractor

SETTINGS = {
    "CONCURRENT_REQUESTS": 16,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,  # all are for one host here
    "DOWNLOAD_DELAY": 0,
    "ROBOTSTXT_OBEY": True,
    "LOG_LEVEL": "WARNING",
    "REMOTE_CONTROL_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
}


class SiteSpider(Spider):
    """Follows the links of a site that stay on its host, and notes title and metadata of every page."""

    name = "site"

    def __init__(self, address: str, **options: Any) -> None:
        super().__init__(start_urls=[address], **options)
        self.links = LinkExtractor()  # the site has no others

    def parse(self, response: Response, **_: Any) -> Iterator[Any]:
        """Yield what a page holds, and a request for each of its links."""
        if not isinstance(response, HtmlResponse):
            return
        tags = [(tag.attrib["name"], tag.attrib.get("content", "")) for tag in response.css("meta[name]")]
        yield {"url": response.url, "title": response.css("title::text").get(), "tags": tags}
        for link in self.links.extract_links(response):
            yield Request(link.url, self.parse)


def main(start: str, out: str) -> None:
    """Crawl the site of a start page; `out` gets one JSON object a line."""
    process = CrawlerProcess({**SETTINGS, "FEEDS": {out: {"format": "jsonlines"}}})
    process.crawl(SiteSpider, address=start)
    process.start()


if __name__ == "__main__":
    main(*sys.argv[1:])
