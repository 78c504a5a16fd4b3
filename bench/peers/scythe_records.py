"""oaipmh-scythe, record by record: `python scythe_records.py URL FILE`."""

import os
import sys

from oaipmh_scythe import Scythe  # type: ignore[import-untyped, import-not-found, unused-ignore]


def main(url: str, path: str) -> None:
    """Write the XML of every record, one a line."""
    with Scythe(url) as scythe, open(path, "w", encoding="utf-8") as out:
        out.writelines(record.raw + "\n" for record in scythe.list_records(metadata_prefix="oai_dc"))
        out.flush()
        os.fsync(out.fileno())


if __name__ == "__main__":
    main(*sys.argv[1:])
