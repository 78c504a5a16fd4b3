"""Sickle, page by page: the quickest way it has, and no record is told from the next."""

import os
import sys

from sickle import Sickle  # type: ignore[import-untyped, import-not-found, unused-ignore]
from sickle.iterator import (  # type: ignore[import-untyped, import-not-found, unused-ignore]
    OAIResponseIterator,
)


def main(url: str, path: str) -> None:
    """Write every page as it came."""
    with open(path, "w", encoding="utf-8") as out:
        out.writelines(
            response.raw
            for response in Sickle(url, iterator=OAIResponseIterator).ListRecords(metadataPrefix="oai_dc")
        )
        out.flush()
        os.fsync(out.fileno())


if __name__ == "__main__":
    main(*sys.argv[1:])
