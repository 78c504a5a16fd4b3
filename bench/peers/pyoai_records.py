"""pyoai, record by record with its Dublin Core reader: `python pyoai_records.py URL FILE`.

Up to 2.5.0 it calls a method that lxml 5 took away, and then fails here as it does for its users.
"""

import json
import os
import sys

from oaipmh.client import Client  # type: ignore[import-untyped, import-not-found, unused-ignore]
from oaipmh.metadata import (  # type: ignore[import-untyped, import-not-found, unused-ignore]
    MetadataRegistry,
    oai_dc_reader,
)


def main(url: str, path: str) -> None:
    """Write the fields of every record as JSON, one a line."""
    registry = MetadataRegistry()
    registry.registerReader("oai_dc", oai_dc_reader)
    client = Client(url, registry, force_http_get=True)  # a static server takes no POST
    with open(path, "w", encoding="utf-8") as out:
        for header, metadata, _about in client.listRecords(metadataPrefix="oai_dc"):
            record = {"identifier": header.identifier(), "sets": header.setSpec(), "dc": metadata.getMap()}
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
        out.flush()
        os.fsync(out.fileno())


if __name__ == "__main__":
    main(*sys.argv[1:])
