"""Sickle, record by record: `python sickle_records.py URL FILE`."""

import os
import sys

from sickle import Sickle  # type: ignore[import-untyped, import-not-found, unused-ignore]


def main(url: str, path: str) -> None:
    """Write the XML of every record, one a line."""
    with open(path, "w", encoding="utf-8") as out:
        out.writelines(record.raw + "\n" for record in Sickle(url).ListRecords(metadataPrefix="oai_dc"))
        out.flush()
        os.fsync(out.fileno())


if __name__ == "__main__":
    main(*sys.argv[1:])
