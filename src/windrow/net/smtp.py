"""Mail by SMTP: one plain-text message on one connection. `schedule` composes its content.

Foreign error messages are not quoted: a server may repeat our credentials in them.
"""

from __future__ import annotations

import ipaddress
import smtplib
import socket
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, localtime, make_msgid
from threading import Event, Timer

from windrow.errors import Undelivered

STARTTLS, TLS, PLAIN = "starttls", "tls", "none"
PORTS = {STARTTLS: 587, TLS: 465, PLAIN: 25}
TLS_HINT = 'If it can do without, `tls = "none"`; the mail can then be read on its way.'
_READY = 220
LOGIN_HINT = "Look at `username` and the password in [notify]."


@dataclass(frozen=True, slots=True)
class MailServer:
    """A mail server and how to connect to it. `timeout_seconds` limits the whole delivery."""

    host: str
    port: int | None = None
    tls: str = STARTTLS
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    timeout_seconds: float = 30.0
    ca_file: str | None = None  # replaces the system's certificate authorities

    @property
    def key(self) -> str:
        """The server as shown to people."""
        return f"{self.host}:{self.port or PORTS[self.tls]}"


def send_mail(server: MailServer, *, sender: str, to: Sequence[str], subject: str, text: str) -> None:
    """Send one mail; raises Undelivered if any recipient is refused."""
    _check_password(server)
    mail = _compose(sender, to, subject, text)
    with _translated_errors(server), _connected(server) as client:
        if server.username and server.password:
            client.login(server.username, server.password)
        refused = client.send_message(mail, sender, list(to))
    if refused:
        names = ", ".join(sorted(refused))
        raise Undelivered(f"the mail server {server.key} does not take mail for {names}", is_partial=True)


def _compose(sender: str, to: Sequence[str], subject: str, text: str) -> EmailMessage:
    mail = EmailMessage(policy=SMTP)
    mail["From"] = sender
    mail["To"] = ", ".join(to)
    mail["Subject"] = " ".join(subject.split())  # a line break would begin another header
    mail["Date"] = format_datetime(localtime())
    # otherwise our own host name is looked up
    mail["Message-ID"] = make_msgid(domain=sender.rpartition("@")[2])
    mail["Auto-Submitted"] = "auto-generated"  # prevents out-of-office replies (RFC 3834 §5)
    mail.set_content(text)
    return mail


def _check_password(server: MailServer) -> None:
    if server.tls == PLAIN and server.password and not _is_this_machine(server.host):
        raise Undelivered(
            f"the password for the mail server {server.key} would travel in the clear",
            hint='Set `tls` to "starttls" or "tls".',
        )


def _is_this_machine(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@contextmanager
def _connected(server: MailServer) -> Iterator[smtplib.SMTP]:
    """Yield a connection, encrypted if configured, that is closed when the time is up."""
    client = _client(server)
    is_late = Event()
    # The timeout of smtplib restarts with each byte.
    alarm = Timer(server.timeout_seconds, _cut, (client, is_late))
    alarm.daemon = True
    alarm.start()
    try:
        code, words = client.connect(server.host, server.port or PORTS[server.tls])
        if code != _READY:
            raise smtplib.SMTPConnectError(code, words)
        if server.tls == STARTTLS:
            client.starttls(context=_context(server))
        yield client
        with suppress(smtplib.SMTPException, OSError):  # the mail is accepted; errors of QUIT do not matter
            client.quit()
    except (OSError, smtplib.SMTPException) as exc:
        # If the timeout of smtplib comes first, it reports that the server closed the connection.
        if is_late.is_set() or isinstance(exc.__context__, TimeoutError):
            raise TimeoutError from None
        raise
    finally:
        alarm.cancel()
        client.close()


def _client(server: MailServer) -> smtplib.SMTP:
    # Named explicitly: looking up the full host name may need an unreachable name server.
    ourselves, seconds = socket.gethostname() or "localhost", server.timeout_seconds
    if server.tls == TLS:
        context = _context(server)
        client: smtplib.SMTP = smtplib.SMTP_SSL(local_hostname=ourselves, timeout=seconds, context=context)
    else:
        client = smtplib.SMTP(local_hostname=ourselves, timeout=seconds)
    client._host = server.host  # type: ignore[attr-defined] # what TLS compares the certificate with
    return client


def _context(server: MailServer) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=server.ca_file)


def _cut(client: smtplib.SMTP, is_late: Event) -> None:
    is_late.set()
    with suppress(OSError, AttributeError):  # not connected yet, or already closed
        client.sock.shutdown(socket.SHUT_RDWR)  # type: ignore[union-attr]


@contextmanager
def _translated_errors(server: MailServer) -> Iterator[None]:
    try:
        yield
    except (OSError, smtplib.SMTPException, UnicodeError) as exc:
        reason, hint = _reason(exc, server)
        raise Undelivered(f"the mail server {server.key} {reason}", hint=hint) from exc


def _reason(exc: Exception, server: MailServer) -> tuple[str, str]:
    if isinstance(exc, smtplib.SMTPAuthenticationError):
        return f"does not let us in (SMTP {exc.smtp_code})", LOGIN_HINT
    if isinstance(exc, smtplib.SMTPNotSupportedError):
        return "does not speak what it is asked to: STARTTLS, or logging in", TLS_HINT
    if isinstance(exc, smtplib.SMTPRecipientsRefused):
        return f"does not take mail for {', '.join(sorted(exc.recipients))}", ""
    if isinstance(exc, UnicodeError):
        return "takes user names and passwords of plain letters only", LOGIN_HINT
    if isinstance(exc, smtplib.SMTPConnectError):
        return f"does not take any mail now (SMTP {exc.smtp_code})", ""
    if isinstance(exc, smtplib.SMTPResponseException):
        return f"refused the mail (SMTP {exc.smtp_code})", ""
    if isinstance(exc, ssl.SSLCertVerificationError):
        return f"has a certificate that is not trusted ({exc.verify_message})", ""
    if isinstance(exc, ssl.SSLError):
        return "and we do not agree on TLS", 'Is `tls` right: "tls" for port 465, "starttls" for 587?'
    if isinstance(exc, TimeoutError):
        return f"did not answer within {server.timeout_seconds:g} seconds", ""
    if isinstance(exc, socket.gaierror):
        return "has a name that is not known", ""
    if isinstance(exc, ConnectionRefusedError):
        return "refused the connection", ""
    return "broke off", ""
