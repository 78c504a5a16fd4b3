"""`windrow serve --z3950`, beside the pages, with one process and with several, and who is let in."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from pathlib import Path

import pytest

from tests.flows.harvesting import Shelf
from tests.flows.serving import serving, stocked
from tests.servers.z3950_client import Client, connected
from tests.unit.protocols.z3950.messages import init, with_password
from windrow.wiring import open_library
from windrow.wiring.indexing import follow_index


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    made = stocked(tmp_path_factory.mktemp("serve") / "library", records=30)
    library = open_library(str(made.folder))
    follow_index(library)
    library.close()
    return made


@pytest.mark.parametrize("workers", ["1", "2"])
def test_pages_and_z3950_are_answered_by_one_command(shelf: Shelf, workers: str) -> None:
    with (
        serving(shelf.folder, "--z3950", "0", "--workers", workers) as server,
        connected(server.z3950) as client,
    ):
        assert client.count("@attr 2=103 x") > 0
        assert client.count("@attr 2=103 x", databases=("theses",)) > 0
        assert server.ask("/").status == 200
        assert server.stop() == 0
        assert client.receive().close_reason == 1  # shutdown


def test_only_users_come_in_where_there_is_a_file_of_them(shelf: Shelf, tmp_path: Path) -> None:
    hashed = b64encode(hashlib.sha1(b"right").digest()).decode()
    users = tmp_path / "users.htpasswd"
    users.write_text(f"anna:{{SHA}}{hashed}\n")
    extra = {"WINDROW_Z3950_USERS_FILE": str(users), "WINDROW_Z3950_PORT": "0"}
    with serving(shelf.folder, extra=extra) as server:
        for message, is_let_in in (
            (with_password("anna", "right"), True),
            (with_password("anna", "wrong"), False),
            (init(), False),
        ):
            with Client(server.z3950) as client:
                assert client.ask(message).result is is_let_in
                if not is_let_in:
                    assert client.receive() is None
