"""Mail handed to a real mail server on loopback."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.servers.smtp import Manners, SmtpServer
from tests.servers.tls import make_certificate
from windrow.errors import Undelivered
from windrow.net.smtp import PLAIN, STARTTLS, TLS, MailServer, send_mail

HOST = "127.0.0.1"
SENDER, READER, OTHER = "windrow@library.example", "ada@library.example", "bob@library.example"
LOGIN = ("librarian", "correct horse battery")


def _send(
    server: MailServer, *, to: tuple[str, ...] = (READER,), subject: str = "Hello", text: str = "Hi\n"
) -> None:
    send_mail(server, sender=SENDER, to=to, subject=subject, text=text)


def test_a_mail_arrives_with_its_envelope_its_subject_and_its_letters() -> None:
    with SmtpServer() as server:
        _send(
            MailServer(HOST, server.port, PLAIN),
            to=(READER, OTHER),
            subject="Ylläpito: failed",
            text="Käyttö\n.\n",
        )
    (letter,) = server.letters
    assert (letter.sender, letter.to) == (SENDER, (READER, OTHER))
    assert letter.mail["Subject"] == "Ylläpito: failed"
    assert letter.text.replace("\r\n", "\n") == "Käyttö\n.\n"
    assert letter.mail["Auto-Submitted"] == "auto-generated"
    assert letter.mail["Message-ID"].endswith("@library.example>")


def test_a_line_break_in_a_subject_begins_no_other_header() -> None:
    with SmtpServer() as server:
        _send(MailServer(HOST, server.port, PLAIN), subject="one\r\nBcc: eve@elsewhere.example")
    (letter,) = server.letters
    assert letter.mail["Subject"] == "one Bcc: eve@elsewhere.example"
    assert letter.mail["Bcc"] is None
    assert letter.to == (READER,)


@pytest.mark.parametrize("tls", [STARTTLS, TLS])
def test_the_password_travels_only_when_the_connection_is_private(tls: str, tmp_path: Path) -> None:
    made = make_certificate(tmp_path)
    manners = Manners(certificate=made, is_private_from_start=tls == TLS, login=LOGIN)
    with SmtpServer(manners) as server:
        _send(MailServer(HOST, server.port, tls, *LOGIN, ca_file=str(made.chain)))
    (letter,) = server.letters
    assert letter.was_private
    assert letter.user == LOGIN[0]
    assert server.commands.count("AUTH") == 1


def test_a_password_is_not_sent_in_the_clear_to_another_machine() -> None:
    with pytest.raises(Undelivered, match="in the clear"):
        _send(MailServer("mail.library.example", 25, PLAIN, *LOGIN))


def test_a_server_without_starttls_gets_neither_password_nor_mail() -> None:
    with SmtpServer(Manners(login=LOGIN)) as server, pytest.raises(Undelivered, match="STARTTLS"):
        _send(MailServer(HOST, server.port, STARTTLS, *LOGIN))
    assert "AUTH" not in server.commands
    assert not server.letters


def test_a_certificate_that_nobody_signed_is_refused(tmp_path: Path) -> None:
    with (
        SmtpServer(Manners(certificate=make_certificate(tmp_path))) as server,
        pytest.raises(Undelivered, match="not trusted"),
    ):
        _send(MailServer(HOST, server.port, STARTTLS))
    assert not server.letters


def test_a_wrong_password_is_told_without_saying_it() -> None:
    with SmtpServer(Manners(login=LOGIN)) as server, pytest.raises(Undelivered) as caught:
        _send(MailServer(HOST, server.port, PLAIN, LOGIN[0], "guessed secret"))
    assert "does not let us in (SMTP 535)" in str(caught.value)
    assert "guessed secret" not in f"{caught.value} {caught.value.hint}"
    assert "guessed secret" not in repr(MailServer(HOST, 25, PLAIN, "a", "guessed secret"))


def test_a_password_that_the_protocol_cannot_carry_is_told() -> None:
    with SmtpServer(Manners(login=LOGIN)) as server, pytest.raises(Undelivered, match="plain letters"):
        _send(MailServer(HOST, server.port, PLAIN, LOGIN[0], "pässwörd"))


def test_whom_the_server_takes_no_mail_for_is_named_while_others_get_theirs() -> None:
    with (
        SmtpServer(Manners(refused=frozenset({OTHER}))) as server,
        pytest.raises(Undelivered, match=OTHER),
    ):
        _send(MailServer(HOST, server.port, PLAIN), to=(READER, OTHER))
    assert [letter.to for letter in server.letters] == [(READER,)]


def test_a_mail_for_nobody_that_is_known_is_not_delivered() -> None:
    with (
        SmtpServer(Manners(refused=frozenset({READER}))) as server,
        pytest.raises(Undelivered, match=f"does not take mail for {READER}"),
    ):
        _send(MailServer(HOST, server.port, PLAIN))
    assert not server.letters


@pytest.mark.parametrize(
    ("manners", "words"),
    [
        (Manners(says_to_mail="452 no room"), r"refused the mail \(SMTP 452\)"),
        (Manners(greeting="554 not today"), r"does not take any mail now \(SMTP 554\)"),
        (Manners(hangs_up_at="DATA"), "broke off"),
        (Manners(never_greets=True), "did not answer within 0.2 seconds"),
    ],
)
def test_what_goes_wrong_is_put_into_words(manners: Manners, words: str) -> None:
    with SmtpServer(manners) as server, pytest.raises(Undelivered, match=words):
        _send(MailServer(HOST, server.port, PLAIN, timeout_seconds=0.2 if manners.never_greets else 30))


def test_a_port_where_nobody_listens_is_told() -> None:
    with SmtpServer() as server:
        port = server.port
    with pytest.raises(Undelivered, match=f"127.0.0.1:{port} refused the connection"):
        _send(MailServer(HOST, port, PLAIN))
