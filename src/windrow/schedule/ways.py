"""The ways by which people are told: mail, webhook, a command. Each that the settings name is used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from windrow.config.notify import NotifySettings
from windrow.config.passwords import find_password, find_webhook_secret
from windrow.config.schema import Config
from windrow.errors import ConfigError, Undelivered
from windrow.schedule.calling import call
from windrow.schedule.messages import Message

MAIL, WEBHOOK, COMMAND = "mail", "webhook", "command"


@dataclass(frozen=True, slots=True)
class Way:
    """One way; `send` raises Undelivered where the message did not arrive."""

    name: str
    send: Callable[[Message], None]


def ways_of(config: Config, *, environ: Mapping[str, str]) -> list[Way]:
    """Give the ways that are set. Passwords are fetched only when something is sent."""
    return list(_ways(config, environ))


def _ways(config: Config, environ: Mapping[str, str]) -> Iterator[Way]:
    notify = config.notify
    if notify.mail_to:
        yield Way(MAIL, partial(_mail, notify, environ))
    if notify.webhook:
        yield Way(WEBHOOK, partial(_post, notify, config.library.contact, environ))
    if notify.command:
        yield Way(COMMAND, partial(_command, notify, config.path, environ))


def _mail(notify: NotifySettings, environ: Mapping[str, str], message: Message) -> None:
    from windrow.net.mail import MailServer, send_mail  # noqa: PLC0415 - only where somebody wants mail

    if not notify.smtp_host or not notify.mail_from:  # the settings are checked for both
        raise Undelivered("mail needs `smtp_host` and `mail_from` in [notify]")
    server = MailServer(
        notify.smtp_host,
        notify.smtp_port,
        notify.tls,
        notify.username,
        _secret(find_password, notify, environ),
        notify.timeout,
    )
    send_mail(server, sender=notify.mail_from, to=notify.mail_to, subject=message.title, text=message.text)


def _post(notify: NotifySettings, contact: str | None, environ: Mapping[str, str], message: Message) -> None:
    from windrow.net.webhook import Webhook, post_json  # noqa: PLC0415

    secret = _secret(find_webhook_secret, notify, environ)
    hook = Webhook(notify.webhook or "", secret, notify.timeout, contact or None)
    post_json(hook, message.as_json())


def _command(notify: NotifySettings, folder: Path, environ: Mapping[str, str], message: Message) -> None:
    call(
        notify.command or (),
        message.as_json(),
        folder=folder,
        environ=environ,
        timeout_seconds=notify.timeout,
    )


def _secret(
    find: Callable[..., str | None], notify: NotifySettings, environ: Mapping[str, str]
) -> str | None:
    try:
        return find(notify, environ=environ)
    except ConfigError as exc:
        raise Undelivered(str(exc), hint=exc.hint) from exc
