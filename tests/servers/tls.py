"""A certificate that nobody trusts, made when a test needs one."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.fixtures import missing


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate for 127.0.0.1, which is also the authority to trust it by, with its key."""

    chain: Path
    key: Path


def make_certificate(folder: Path) -> Certificate:
    """Make one in this folder; skip the running test where there is no openssl."""
    if shutil.which("openssl") is None:
        missing("the openssl command is not on this machine")
    made = Certificate(folder / "certificate.pem", folder / "key.pem")
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
    ]
    command += ["-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    command += ["-keyout", str(made.key), "-out", str(made.chain)]
    subprocess.run(command, check=True, capture_output=True)
    return made
