"""A loopback mail server whose manners a test decides: plain, with TLS from the start, or with STARTTLS.

It speaks as much of SMTP (RFC 5321) as is needed to take a mail, and says no where it is told to.
"""

from __future__ import annotations

import base64
import socket
import ssl
from contextlib import suppress
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from io import BufferedReader
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Thread
from types import TracebackType
from typing import Self

from tests.servers.tls import Certificate


@dataclass(frozen=True, slots=True)
class Letter:
    """A mail that was taken: who it is from and for by the envelope, and what is in it."""

    sender: str
    to: tuple[str, ...]
    raw: bytes
    was_private: bool  # came over TLS
    user: str | None  # who had logged in

    @property
    def mail(self) -> EmailMessage:
        """The mail as a reader sees it."""
        return message_from_bytes(self.raw, policy=policy.default)

    @property
    def text(self) -> str:
        """Its text."""
        return str(self.mail.get_content())


@dataclass(frozen=True, slots=True)
class Manners:
    """How the server is."""

    certificate: Certificate | None = None
    is_private_from_start: bool = False
    login: tuple[str, str] | None = None  # the only one that is let in
    refused: frozenset[str] = frozenset()  # whom it takes no mail for
    says_to_mail: str = "250 taken"
    greeting: str = "220 mail.example ready"
    never_greets: bool = False
    hangs_up_at: str = ""  # the command at which it does


class SmtpServer:
    """Takes mail on a free port of 127.0.0.1 inside a `with` block; `letters` has all that came."""

    def __init__(self, manners: Manners | None = None) -> None:
        self.manners = manners or Manners()
        self.letters: list[Letter] = []
        self.commands: list[str] = []  # first words, in order of arrival
        self._server: ThreadingTCPServer | None = None
        self._thread: Thread | None = None

    @property
    def port(self) -> int:
        """The port it listens on."""
        assert self._server is not None, "the server runs only inside its `with` block"
        return int(self._server.server_address[1])

    def __enter__(self) -> Self:
        ours = self

        class Handler(BaseRequestHandler):
            def handle(self) -> None:
                with suppress(OSError):  # the client went away, or did not like our certificate
                    _Talk(ours, self.request).hold()

        self._server = ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._thread = Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        assert self._thread is not None
        self._server.shutdown()
        self._server.server_close()  # waits for conversations to end
        self._thread.join()


@dataclass(slots=True)
class _Talk:
    """One conversation."""

    server: SmtpServer
    connection: socket.socket
    is_private: bool = False
    user: str | None = None
    sender: str = ""
    to: list[str] = field(default_factory=list)

    def hold(self) -> None:
        """Answer until the client has had enough."""
        manners = self.server.manners
        if manners.never_greets:
            while self.connection.recv(4096):
                pass
            return
        if manners.is_private_from_start:
            self._wrap()
        self._say(manners.greeting)
        try:
            while self._follow():
                pass
        finally:
            self.connection.close()

    def _follow(self) -> bool:
        """Read commands until the connection changes its nature; False where it is over."""
        with self.connection.makefile("rb") as stream:
            while line := stream.readline(4096).decode("latin-1").strip():
                verb = line.split()[0].upper()
                self.server.commands.append(verb)
                if verb == self.server.manners.hangs_up_at:
                    return False
                if verb == "STARTTLS":
                    self._say("220 go on")
                    break
                self._answer(verb, line, stream)
                if verb == "QUIT":
                    return False
            else:
                return False
        self._wrap()
        return True

    def _answer(self, verb: str, line: str, stream: BufferedReader) -> None:
        manners = self.server.manners
        if verb == "EHLO":
            self._greet()
        elif verb == "AUTH":
            self._let_in(line.rsplit(maxsplit=1)[-1])
        elif verb == "MAIL":
            self.sender, self.to = _address(line), []
            self._say("250 ok")
        elif verb == "RCPT" and _address(line) in manners.refused:
            self._say("550 nobody of that name")
        elif verb == "RCPT":
            self.to.append(_address(line))
            self._say("250 ok")
        elif verb == "DATA":
            self._say("354 go on")
            self._take(_read_mail(stream))
        else:
            self._say("221 goodbye" if verb == "QUIT" else "250 ok")

    def _greet(self) -> None:
        manners = self.server.manners
        offers = ["mail.example"]
        if manners.certificate is not None and not self.is_private:
            offers.append("STARTTLS")
        if manners.login is not None:
            offers.append("AUTH PLAIN")
        for offer in offers[:-1]:
            self._say(f"250-{offer}")
        self._say(f"250 {offers[-1]}")

    def _let_in(self, given: str) -> None:
        _, user, password = base64.b64decode(given).decode().split("\0")
        if (user, password) == self.server.manners.login:
            self.user = user
            self._say("235 come in")
        else:
            self._say(f"535 5.7.8 {password} is not it")  # as rude as a server can be

    def _take(self, raw: bytes) -> None:
        said = self.server.manners.says_to_mail
        if said.startswith("250"):
            letter = Letter(self.sender, tuple(self.to), raw, self.is_private, self.user)
            self.server.letters.append(letter)
        self._say(said)

    def _say(self, line: str) -> None:
        self.connection.sendall(f"{line}\r\n".encode())

    def _wrap(self) -> None:
        certificate = self.server.manners.certificate
        assert certificate is not None
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate.chain, certificate.key)
        self.connection = context.wrap_socket(self.connection, server_side=True)
        self.is_private = True


def _read_mail(stream: BufferedReader) -> bytes:
    lines = []
    while (line := stream.readline()) not in (b".\r\n", b""):
        lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
    return b"".join(lines)


def _address(line: str) -> str:
    return line.partition("<")[2].partition(">")[0]
