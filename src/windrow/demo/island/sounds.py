"""Makes the island's sounds: a horn, a scale, the wind. WAVE files with the tags that those can have."""

from __future__ import annotations

import struct
import sys
import wave
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BytesIO
from math import pi, sin
from random import Random

RATE = 16_000  # samples a second
_LOUD = 9000
_SECONDS = 3
_FADE = RATE // 20  # samples


@dataclass(frozen=True, slots=True)
class Sound:
    """A sound, what makes its samples, and what its tags say."""

    name: str  # of the file
    title: str
    year: str
    make: Callable[[], Sequence[int]]


def write_wave(sound: Sound, creator: str) -> bytes:
    """Give a sound as a WAVE file."""
    file = BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(RATE)
        samples = array("h", sound.make())
        if sys.byteorder == "big":
            samples.byteswap()
        writer.writeframes(samples.tobytes())
    return _tagged(file.getvalue(), {"INAM": sound.title, "IART": creator, "ICRD": sound.year})


def _tagged(content: bytes, tags: dict[str, str]) -> bytes:
    """Put a list of tags at the end: the RIFF chunk LIST of the kind INFO."""
    told = b"INFO" + b"".join(_chunk(name, _even(words.encode() + b"\0")) for name, words in tags.items())
    whole = content + _chunk("LIST", told)
    return whole[:4] + struct.pack("<I", len(whole) - 8) + whole[8:]


def _chunk(name: str, content: bytes) -> bytes:
    return name.encode() + struct.pack("<I", len(content)) + content


def _even(content: bytes) -> bytes:
    return content + b"\0" * (len(content) % 2)


def _horn() -> list[int]:
    """A chord of three tones."""
    steps = [2 * pi * tone / RATE for tone in (196.0, 246.9, 293.7)]
    share = _LOUD / len(steps)
    return _faded([int(share * sum(sin(step * n) for step in steps)) for n in range(RATE * _SECONDS)])


def _scale() -> list[int]:
    """Eight tones up, each dying away as a bell does."""
    length = RATE * 2 // 5
    made = []
    for tone in (0, 2, 4, 5, 7, 9, 11, 12):
        step = 2 * pi * 440 * 2 ** (tone / 12) / RATE
        made += [int(_LOUD * (1 - n / length) ** 2 * sin(step * n)) for n in range(length)]
    return made


def _wind() -> list[int]:
    """Noise made soft, coming and going. The seed is fixed: each demo has the same file."""
    chance = Random(7)  # noqa: S311 - no secret, a sound
    last, made = 0.0, []
    for n in range(RATE * _SECONDS):
        last += (chance.uniform(-1, 1) - last) * 0.06
        made.append(int(_LOUD * 2 * last * (0.6 + 0.4 * sin(n / RATE * 2.1))))
    return _faded(made)


def _faded(samples: list[int]) -> list[int]:
    """Begin and end softly: a sudden edge is heard as a click."""
    for n in range(_FADE):
        samples[n] = samples[n] * n // _FADE
        samples[-1 - n] = samples[-1 - n] * n // _FADE
    return samples


SOUNDS = (
    Sound("ferry-horn", "The horn of the ferry", "2024", _horn),
    Sound("barn-bell", "A scale on the bells of the barn", "2025", _scale),
    Sound("wind", "Wind over the south field", "2025", _wind),
)
