"""The settings of the Z39.50 target; `schema` has them among the others."""

from __future__ import annotations

from dataclasses import dataclass

from windrow.config import kinds
from windrow.config.fields import Settings, optional, setting
from windrow.config.hosts import HOST, NETWORKS

DEFAULT_PORT = 2100  # 210 is the protocol's own, which only the system's programs may listen at


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Z3950Settings(Settings):
    """Where clients of Z39.50 are answered, who they may be, and what one of them may use."""

    port: int | None = optional(
        kinds.count(0, 65535, "port"),
        "The port at which `windrow serve` answers Z39.50, too; 0 takes any free one.",
        absent=f"not answered by serve; `windrow z3950` takes {DEFAULT_PORT}",
    )
    host: str = setting(HOST, "127.0.0.1", "The address to listen on; 0.0.0.0 is every one of this machine.")
    allow: tuple[str, ...] = setting(
        NETWORKS, [], "The networks whose clients are answered; others are cut off.", absent="all"
    )
    users_file: str | None = optional(
        kinds.PATH,
        "A file of users and hashed passwords, as the htpasswd program writes it. With it only they come in.",
    )
    profile: str = setting(
        kinds.choice("gils", "studera"),
        "gils",
        "How attributes are read and GRS-1 records written: GILS, or as the course service Studera.NU did.",
    )
    charset: str = setting(
        kinds.choice("utf-8", "iso-8859-1"),
        "utf-8",
        "The character set of clients that do not negotiate one. MARC 21 and XML are always in UTF-8.",
    )
    result_sets: int = setting(
        kinds.count(1, 1000, "result sets"), 20, "How many result sets one session may keep."
    )
    message: int = setting(
        kinds.size("64 kB", "256 MB"), "8 MB", "How large one answer may grow; clients agree on this or less."
    )
    sessions: int = setting(kinds.count(1, 10_000, "sessions"), 500, "How many there may be at a time.")
    sessions_per_client: int = setting(
        kinds.count(1, 10_000, "sessions"),
        100,
        "How many of them one client may have; a client is an IPv4 address or an IPv6 /64 network.",
    )
    idle: float = setting(
        kinds.duration("1s", "1d"), "5m", "How long a session may wait for its client's next request."
    )
    session: float = setting(kinds.duration("1s", "7d"), "8h", "How long a session may last.")
