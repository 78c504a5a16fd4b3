"""The faults of the transport put into words: the exceptions of sockets and http.client end here."""

from __future__ import annotations

import socket
import ssl
from http.client import IncompleteRead, RemoteDisconnected

from windrow.net.faults import Fault

TLS_HINT = (
    "If the server's certificate is signed by your own authority, name it with `ca_file`; "
    "`verify_tls = false` trusts any certificate, and anyone in between."
)


def fault_of(exc: Exception, timeout_seconds: float) -> Fault:
    """Say what happened. Texts of foreign exceptions are not quoted: they may hold addresses with secrets."""
    if isinstance(exc, TimeoutError):
        return Fault(f"no answer within {timeout_seconds:g} seconds")
    if isinstance(exc, ssl.SSLError):
        return tls_fault(exc)
    return Fault(_breakage(exc))


def connection_fault(exc: Exception, timeout_seconds: float) -> Fault:
    """Say why there is not even a connection."""
    causes = _causes(exc)
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        return Fault("the connection was refused")
    if any(isinstance(cause, socket.gaierror | UnicodeError) for cause in causes):
        return Fault("the host's name is not known")
    if isinstance(exc, TimeoutError):
        return Fault(f"no connection within {timeout_seconds:g} seconds")
    return Fault("no connection can be made")


def _causes(exc: BaseException) -> list[BaseException]:
    """Give the exception and what it wraps: urllib3 carries the cause as an argument."""
    found = [exc, *(argument for argument in exc.args if isinstance(argument, BaseException))]
    return [*found, *(cause for cause in (exc.__cause__, exc.__context__) if cause)]


def tls_fault(exc: BaseException) -> Fault:
    """Say why the two sides do not agree on a safe connection."""
    causes = _causes(exc)
    for cause in causes:
        if isinstance(cause, ssl.SSLCertVerificationError):
            reason = f"the server's certificate is not trusted ({cause.verify_message})"
            return Fault(reason, is_final=True, hint=TLS_HINT)
    if any(isinstance(cause, ssl.SSLEOFError | ssl.SSLZeroReturnError | ConnectionError) for cause in causes):
        return Fault("the TLS connection broke")  # a cut line, not a quarrel: worth another try
    words = next((cause.reason for cause in causes if isinstance(cause, ssl.SSLError) and cause.reason), "")
    return Fault(f"TLS failed{f' ({words})' if words else ''}", is_final=True, hint=TLS_HINT)


def _breakage(exc: BaseException) -> str:
    causes = _causes(exc)
    if any(isinstance(cause, IncompleteRead) for cause in causes):
        return "the answer was cut short"
    if any(isinstance(cause, RemoteDisconnected | ConnectionError) for cause in causes):
        return "the connection was closed before the answer was whole"
    return "the answer is not proper HTTP, or breaks off"
