"""Files in people's words: what kind, how large, how long, where on earth. Pure."""

from __future__ import annotations

from windrow.faces.shared.catalogues import message
from windrow.faces.shared.tongue import Tongue
from windrow.model.media import family_of, short_name

_FAMILIES = {
    "image": message("Picture"),
    "audio": message("Sound recording"),
    "video": message("Film"),
    "text": message("Text"),
}
_PLAIN = "text/plain"
_UNITS = (
    (1_000_000_000, message("{size} GB")),
    (1_000_000, message("{size} MB")),
    (1_000, message("{size} kB")),
)
_LEAST_DIGITLESS = 10  # of a unit: from there on a fraction says nothing


def kind_words(media_type: str, tongue: Tongue) -> str:
    """Say what a file is: PDF, Picture (JPEG); a kind that nobody has a word for by its media type."""
    name, family = short_name(media_type), _FAMILIES.get(family_of(media_type), "")
    if family and name and family_of(media_type) != "text":
        return f"{tongue.say(family)} ({name})"
    if name or not family:
        return name or media_type
    return tongue.say(family) if media_type == _PLAIN else f"{tongue.say(family)} ({media_type})"


def size_words(size: int, tongue: Tongue) -> str:
    """Say how large a file is, in units of a thousand, as the boxes of disks do."""
    for least, words in _UNITS:
        if size >= least:
            count = size / least
            return tongue.say(words, size=tongue.number(count, 0 if count >= _LEAST_DIGITLESS else 1))
    return tongue.several("{count} byte", "{count} bytes", size)


def length_words(seconds: float) -> str:
    """Write a length as clocks do: 3:05, 1:02:03."""
    whole = round(seconds)
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def place_words(latitude: float, longitude: float, tongue: Tongue) -> str:
    """Write a place on earth: 60.1699° N, 24.9384° E."""
    north = tongue.say("N") if latitude >= 0 else tongue.say("S")
    east = tongue.say("E") if longitude >= 0 else tongue.say("W")
    return f"{tongue.number(abs(latitude), 4)}° {north}, {tongue.number(abs(longitude), 4)}° {east}"
