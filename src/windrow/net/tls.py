"""How a connection is made safe: whose certificates are trusted."""

from __future__ import annotations

import ssl

from windrow.errors import ConfigError
from windrow.net.settings import HttpSettings


def tls_context(settings: HttpSettings) -> ssl.SSLContext:
    """Give what all connections of a client share: to read the authorities costs as much as many requests."""
    try:
        context = ssl.create_default_context(cafile=settings.ca_file)
    except (OSError, ssl.SSLError) as exc:
        raise ConfigError(f"the setting `ca_file` ({settings.ca_file}) cannot be read: {exc}") from exc
    context.set_alpn_protocols(["http/1.1"])
    if not settings.verify_tls:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
