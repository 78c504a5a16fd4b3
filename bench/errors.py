"""What can go wrong with a bench run, told apart by what it costs.

BenchError
├── SetupError        nothing can be measured here: exit 2, the message says what to do
└── ContestantError   one contestant or part has no numbers, the others go on
"""

from __future__ import annotations


class BenchError(Exception):
    """Something a person can be told about."""


class SetupError(BenchError):
    """Nothing can be measured on this machine as it is."""


class ContestantError(BenchError):
    """A contestant could not be prepared, or its result not be read."""
