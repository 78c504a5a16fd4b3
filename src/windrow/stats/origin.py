"""What the records of a table are called in its title: whose they are, and what they have in common. Pure."""

from __future__ import annotations

from dataclasses import dataclass

_LONGEST = 160  # letters of what they have in common


@dataclass(frozen=True, slots=True)
class Origin:
    """The name of a library or collection, and what was asked of it: fields, and values in words."""

    name: str = ""
    asked: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        listed = ", ".join(value for _, value in self.asked)
        if not listed:
            return self.name
        return f"{self.name}: {listed if len(listed) <= _LONGEST else f'{listed[:_LONGEST]}…'}"

    def beside(self, period: str) -> Origin:
        """The same for behind a period, without the years if they are just these: they are said once."""
        years = [value for field, value in self.asked if field == "year"]
        if years != [period]:
            return self
        return Origin(self.name, tuple(pair for pair in self.asked if pair[0] != "year"))


UNNAMED = Origin()
