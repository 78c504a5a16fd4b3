"""The settings of who is told how jobs went, and by which ways; `schema` has them among the others."""

from __future__ import annotations

from dataclasses import dataclass

from windrow.config import kinds
from windrow.config.addresses import URL
from windrow.config.command_lines import COMMAND
from windrow.config.fields import Settings, optional, setting
from windrow.config.hosts import HOST, MAIL, MAILS

STARTTLS, TLS, PLAIN = "starttls", "tls", "none"
_PASSWORD, _SECRET = "password", "webhook_secret"  # groups of settings


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class NotifySettings(Settings):
    """By mail, by webhook, by a command: each that is set is used."""

    mail_to: tuple[str, ...] = setting(MAILS, [], "Who gets mail.")
    mail_from: str | None = optional(
        MAIL, "Whom the mail is from.", absent="the library's contact, where that is a mail address"
    )
    smtp_host: str | None = optional(HOST, "The mail server that takes it.")
    smtp_port: int | None = optional(
        kinds.count(1, 65535, "port"), "Its port.", absent="587 with starttls, 465 with tls, 25 with none"
    )
    tls: str = setting(
        kinds.choice(STARTTLS, TLS, PLAIN),
        STARTTLS,
        "How the connection to it is kept private: begun in the clear, from the start, or not at all.",
    )
    username: str | None = optional(kinds.TEXT, "The user name at the mail server, if it asks for one.")
    password: str | None = optional(
        kinds.TEXT, "The password there. Better kept out of the file.", is_secret=True, group=_PASSWORD
    )
    password_file: str | None = optional(
        kinds.PATH, "A file whose first line is that password.", group=_PASSWORD
    )
    password_env: str | None = optional(
        kinds.VARIABLE, "The environment variable that holds that password.", group=_PASSWORD
    )
    webhook: str | None = optional(
        URL, "An address that gets a POST with JSON. Shown nowhere: many have a key in them.", is_secret=True
    )
    webhook_secret: str | None = optional(
        kinds.TEXT,
        "What that POST is signed with. Better kept out of the file.",
        is_secret=True,
        group=_SECRET,
    )
    webhook_secret_file: str | None = optional(
        kinds.PATH, "A file whose first line is what it is signed with.", group=_SECRET
    )
    webhook_secret_env: str | None = optional(
        kinds.VARIABLE, "The environment variable that holds what it is signed with.", group=_SECRET
    )
    command: tuple[str, ...] | None = optional(
        COMMAND, "A program that is started, without a shell, with the same JSON on its standard input."
    )
    timeout: float = setting(kinds.duration("1s", "1d"), "30s", "How long each of these ways may take.")
