"""What can go wrong with one try, in words: raised by the exchange, and turned into tries by the client."""

from __future__ import annotations

from windrow.errors import HttpRefused, Unreachable, UpstreamBusy, UpstreamError

BUSY_STATUSES = frozenset({202, 429, 503})  # 202: the answer is not ready yet


class Fault(Exception):
    """One try failed. `reason` completes the sentence "URL: …" and names no secret.

    `status` is the HTTP status where one came, `asked` the seconds of its Retry-After;
    a fault that `is_final` would only happen again.
    """

    def __init__(
        self,
        reason: str,
        *,
        status: int | None = None,
        asked: float | None = None,
        is_final: bool = False,
        hint: str | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status
        self.asked = asked
        self.is_final = is_final
        self.hint = hint

    def error(self, url: str, tries: int) -> UpstreamError:
        """Give the error that ends the request after so many tries."""
        message = f"{url}: {self.reason}" + (f" ({tries} tries)" if tries > 1 else "")
        if self.status is None:
            return Unreachable(message, hint=self.hint)
        if self.status in BUSY_STATUSES:
            return UpstreamBusy(message, seconds=self.asked, hint=self.hint)
        return HttpRefused(message, status=self.status, hint=self.hint)
