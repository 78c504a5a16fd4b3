"""Schedulers that know one clock only, that of the machine: may this cadence be given to them?"""

from __future__ import annotations

from windrow.errors import ConfigError
from windrow.schedule.cadence import Cadence
from windrow.schedule.zones import find_zone, hours_apart, machine_zone


def require_local(cadence: Cadence, host: str) -> None:
    """Refuse a cadence whose clock is not the machine's; what comes each hour is the same on both."""
    local = machine_zone()
    apart = hours_apart(find_zone(cadence.timezone), find_zone(local))
    if apart == {0}:
        return
    is_hourly = cadence.fields is not None and cadence.fields.is_every_hour
    if is_hourly and all(hours == int(hours) for hours in apart):
        return
    raise ConfigError(
        f"{host} goes by this machine's clock ({local}), and this job by {cadence.timezone}.",
        hint=f"Give the job --timezone {local}, or use --host systemd, or leave out --host.",
    )
