"""Password and group files: who has which password, who is in which group."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import pytest

from tests.unit.sources.files.planting import GROUPS, PASSWORDS
from windrow.sources.files.apache import htpasswd
from windrow.sources.files.apache.htpasswd import apr_md5, has_password, user_groups


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "passwords"
    path.write_text(PASSWORDS)
    return path


@pytest.mark.parametrize("name", ["alice", "bob", "carol"])
def test_the_right_password_fits_and_no_other(file: Path, name: str) -> None:
    for _ in range(2):  # the second time from memory
        assert has_password(str(file), name, f"{name}-secret")
        assert not has_password(str(file), name, f"{name}-Secret")
        assert not has_password(str(file), name, "")


@pytest.mark.parametrize(
    "name",
    [
        "",
        "dave",
        "ali",
        "alice:x",
        "alice:$apr1$CZmSB3Zh$BvN7kE0cLg.urx3/waQxQ0",
        "\nalice",
        "x\nalice",
        "# people of the tests",
    ],
)
def test_whoever_is_not_in_the_file_has_no_password(file: Path, name: str) -> None:
    for password in ("alice-secret", "", name):
        assert not has_password(str(file), name, password)


@pytest.mark.parametrize(
    ("password", "hashed"),
    [
        ("", "$apr1$saltsalt$a8ml/vK5HEjiZ5oypDWA7/"),
        ("a", "$apr1$saltsalt$OEnK0QmmvoDzFw9W2yFYT/"),
        ("0123456789abcdef", "$apr1$saltsalt$noZiBycUL1t9WTQEO7/nr1"),
        ("0123456789abcdef0", "$apr1$saltsalt$P1pmVujRVrzjQyn1aY1oX1"),
        ("pass wörd", "$apr1$saltsalt$M7zyxWB3kWVHiEe58mhYd/"),
        ("short salt", "$apr1$ab$0iE1Uw5jyIcuhGRkN3tEJ."),
    ],
)
def test_the_hash_is_the_one_that_openssl_makes(password: str, hashed: str) -> None:
    assert apr_md5(password.encode(), hashed.encode()).decode() == hashed


@pytest.mark.parametrize(
    "hashed",
    [
        *(
            "erik-secret",
            "HUdNO5Khvu5Qk",
            "",
            "$apr1$",
            "$apr1$$",
            "$2y$",
            "$2y$xx$",
            "{SHA}",
            "$5$rounds=1000$x$y",
        ),
        "$2y$31$u.4TL7HfIhriT8WdsBVJyOify.SGvpj9USCR6wemYuZGUxvoFGsOq",
        "$2y$04$short",
    ],
)
@pytest.mark.parametrize("password", ["erik-secret", "", "x" * 5000, "a\0b", "\udcff"])
def test_a_hash_that_is_not_safe_or_none_at_all_fits_nothing(
    tmp_path: Path, hashed: str, password: str
) -> None:
    (tmp_path / "passwords").write_text(f"erik:{hashed}\n")
    assert not has_password(str(tmp_path / "passwords"), "erik", password)


def test_only_the_first_line_of_a_user_counts(file: Path) -> None:
    file.write_text("bob:nonsense\n" + PASSWORDS)
    assert not has_password(str(file), "bob", "bob-secret")


def test_a_line_may_end_as_on_other_systems_and_have_more_fields(file: Path) -> None:
    file.write_text(PASSWORDS.replace("\n", ":Name, e-mail\r\n"))
    assert has_password(str(file), "bob", "bob-secret")
    file.write_text(PASSWORDS.replace("\n", "\r\n"))
    assert has_password(str(file), "alice", "alice-secret")


def test_a_changed_password_holds_at_once(file: Path) -> None:
    assert has_password(str(file), "bob", "bob-secret")
    lines = PASSWORDS.replace("bob:{SHA}M", "bob:{SHA}N")  # as long as before, at the same moment
    file.write_text(lines)
    assert not has_password(str(file), "bob", "bob-secret")


def test_long_passwords_count_as_far_as_bcrypt_goes(file: Path) -> None:
    bcrypt = pytest.importorskip("bcrypt")
    long = "x" * 72
    file.write_text(f"carol:{bcrypt.hashpw(long.encode(), bcrypt.gensalt(4)).decode()}\n")
    assert has_password(str(file), "carol", long + "ignored")
    assert not has_password(str(file), "carol", long[:-1] + "y")


def test_without_the_bcrypt_package_its_hashes_fit_nothing_and_a_warning_says_so(
    file: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "bcrypt", None)
    monkeypatch.setattr(htpasswd, "_remembered_checks", {})
    with caplog.at_level(logging.WARNING):
        assert not has_password(str(file), "carol", "carol-secret")
    assert "pip install bcrypt" in caplog.text
    assert has_password(str(file), "alice", "alice-secret")


def test_what_is_remembered_is_bounded_and_holds_no_password(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    verdicts: dict[tuple[bytes, bytes], bool] = {}
    monkeypatch.setattr(htpasswd, "_remembered_checks", verdicts)
    monkeypatch.setattr(htpasswd, "MAX_REMEMBERED_CHECKS", 3)
    for number in range(6):
        assert not has_password(str(file), "alice", f"guess-{number}")
    assert has_password(str(file), "alice", "alice-secret")
    assert len(verdicts) == 3
    assert b"alice-secret" not in repr(verdicts).encode()


def test_a_file_that_is_missing_a_folder_or_too_large_has_nobody(tmp_path: Path, file: Path) -> None:
    assert not has_password(str(tmp_path / "gone"), "bob", "bob-secret")
    assert not has_password(str(tmp_path), "bob", "bob-secret")
    assert not has_password("/dev/zero", "bob", "bob-secret")
    assert not has_password(str(tmp_path / "a\0b"), "bob", "bob-secret")
    with file.open("a") as more:
        more.truncate(htpasswd.MAX_PASSWORD_FILE_BYTES + 1)
    assert not has_password(str(file), "bob", "bob-secret")


def test_groups_are_told_from_their_lines(tmp_path: Path) -> None:
    file = tmp_path / "groups"
    file.write_text(GROUPS + "staff2 : bob   alice\nno colon alice\n")
    assert user_groups(str(file), "alice") == {"staff", "staff2"}
    assert user_groups(str(file), "nobody") == set()
    assert user_groups(str(tmp_path / "gone"), "alice") == set()
