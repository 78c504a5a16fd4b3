"""Binary content under any name: pictures are pictures, the rest is not read, and none of it is text."""

from __future__ import annotations

import io
import random
import sqlite3
import struct
import wave
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from windrow.extract.child_protocol import Errand
from windrow.extract.file_reading import process_errand
from windrow.extract.reading_job import Job
from windrow.model.file_content import UNREAD, Extract

BRIGHT = Image.linear_gradient("L").resize((60, 40)).point(lambda value: 160 + value // 3)  # hardly a control
NAMES = ("{}", "letter.txt", "letter", "page.html", "data.csv")


def read(data: bytes, name: str) -> Extract:
    found = process_errand(Errand("all", Job(name)), io.BytesIO(data)).extract
    assert found is not None
    return found


def saved(kind: str, mode: str) -> bytes:
    made = io.BytesIO()
    BRIGHT.convert(mode).save(made, kind)
    return made.getvalue()


def plain_netpbm(magic: int) -> bytes:
    pixels = {1: "1 0 ", 2: "200 ", 3: "200 210 220 "}[magic]
    rows = "\n".join((pixels * (3 if magic == 1 else 6)).strip() for _ in range(4))
    return f"P{magic}\n# made by hand\n6 4\n{'' if magic == 1 else '255'}\n{rows}\n".encode()


XPM = b"""/* XPM */
static char *dot[] = {
"2 2 2 1",
"  c #FFFFFF",
"x c #000000",
"x ",
" x"
};
"""
XBM = b"#define dot_width 8\n#define dot_height 2\nstatic unsigned char dot_bits[] = {\n 0x01, 0x80 };\n"
FITS = b"".join(
    card.ljust(80)
    for card in (
        b"SIMPLE  =                    T",
        b"BITPIX  =                    8",
        b"NAXIS   =                    2",
        b"NAXIS1  =                   60",
        b"NAXIS2  =                   40",
        b"END",
    )
).ljust(2880) + BRIGHT.tobytes().ljust(2880, b"\xa0")
PICTURES: dict[str, tuple[str, bytes]] = {
    "p1.pbm": ("image/x-portable-bitmap", plain_netpbm(1)),
    "p2.pgm": ("image/x-portable-graymap", plain_netpbm(2)),
    "p3.ppm": ("image/x-portable-pixmap", plain_netpbm(3)),
    "p4.pbm": ("image/x-portable-bitmap", saved("PPM", "1")),
    "p5.pgm": ("image/x-portable-graymap", saved("PPM", "L")),
    "p6.ppm": ("image/x-portable-pixmap", saved("PPM", "RGB")),
    "grey.tga": ("image/x-tga", saved("TGA", "L")),
    "colour.tga": ("image/x-tga", saved("TGA", "RGB")),
    "clear.tga": ("image/x-tga", saved("TGA", "RGBA")),
    "palette.tga": ("image/x-tga", saved("TGA", "P")),
    "a.pcx": ("image/x-pcx", saved("PCX", "L")),
    "a.xbm": ("image/x-xbitmap", XBM),
    "a.xpm": ("image/x-xpixmap", XPM),
    "a.sgi": ("image/x-rgb", saved("SGI", "RGB")),
    "a.dds": ("image/vnd-ms.dds", saved("DDS", "RGB")),
    "a.fits": ("image/fits", FITS),
    "a.bmp": ("image/bmp", saved("BMP", "RGB")),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("sample", PICTURES)
def test_a_picture_is_a_picture_whatever_its_name(sample: str, name: str) -> None:
    media_type, data = PICTURES[sample]
    found = read(data, name.format(sample))
    assert (found.media_type, found.text) == (media_type, ())
    assert dict(found.measured)["width"] in {"60", "6", "8", "2"}


def sound() -> bytes:
    made = io.BytesIO()
    with wave.open(made, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(8_000)
        file.writeframes(BRIGHT.tobytes())
    return made.getvalue()


def database(place: Path) -> bytes:
    connection = sqlite3.connect(place / "a.db")
    connection.execute("CREATE TABLE note (text TEXT)")
    connection.executemany("INSERT INTO note VALUES (?)", [("a plain sentence " * 50,)] * 50)
    connection.commit()
    connection.close()
    return (place / "a.db").read_bytes()


def code_file(_: Path) -> bytes:
    import marshal
    from importlib.util import MAGIC_NUMBER

    return MAGIC_NUMBER + bytes(12) + marshal.dumps(compile("print('x')\n" * 200, "x.py", "exec"))


def pam(_: Path) -> bytes:
    header = b"P7\nWIDTH 60\nHEIGHT 40\nDEPTH 1\nMAXVAL 255\nTUPLTYPE GRAYSCALE\nENDHDR\n"
    return header + BRIGHT.tobytes()


def ar(_: Path) -> bytes:
    member = BRIGHT.tobytes()
    return b"!<arch>\n" + b"a.o/            0           0     0     100644  %-10d`\n" % len(member) + member


def cpio(_: Path) -> bytes:
    numbers = b"".join(b"%08X" % number for number in (1, 0o100644, 0, 0, 1, 0, 2400, 0, 0, 0, 0, 6, 0))
    return b"070701" + numbers + b"a.txt\0" + BRIGHT.tobytes()


BINARIES: dict[str, Callable[[Path], bytes]] = {
    "scan.dcm": lambda _: bytes(128) + b"DICM" + BRIGHT.tobytes(),
    "text-preamble.dcm": lambda _: b"preamble".ljust(128, b" ") + b"DICM" + BRIGHT.tobytes(),
    "table.fits": lambda _: FITS[: 80 * 2] + b"NAXIS   =                    0".ljust(80) + b"END".ljust(2640),
    "a.sqlite": database,
    "A.class": lambda _: b"\xca\xfe\xba\xbe\x00\x00\x00\x34" + BRIGHT.tobytes(),
    "a.pyc": code_file,
    "a.out": lambda _: b"\x7fELF\x02\x01\x01" + bytes(9) + BRIGHT.tobytes(),
    "a.exe": lambda _: b"MZ\x90\x00\x03\x00\x00\x00" + BRIGHT.tobytes(),
    "a.a": ar,
    "a.cpio": cpio,
    "a.wasm": lambda _: b"\x00asm\x01\x00\x00\x00" + BRIGHT.tobytes(),
    "a.ttf": lambda _: b"\x00\x01\x00\x00\x00\x0c\x00\x80\x00\x03" + BRIGHT.tobytes(),
    "a.otf": lambda _: b"OTTO\x00\x0c\x00\x80" + BRIGHT.tobytes(),
    "a.woff2": lambda _: b"wOF2OTTO" + BRIGHT.tobytes(),
    "a.pam": pam,
    "a.hdf5": lambda _: b"\x89HDF\r\n\x1a\n" + BRIGHT.tobytes(),
    "a.npy": lambda _: b"\x93NUMPY\x01\x00v\x00{'descr': '|u1'}" + BRIGHT.tobytes(),
    "random": lambda _: random.Random(1).randbytes(5_000),
    "bright pixels": lambda _: BRIGHT.tobytes() * 3,
    "grey pixels": lambda _: bytes([0xC8]) * 8_000,
    "noise without controls": lambda _: bytes(random.Random(2).choices(range(0xA0, 0x100), k=9_000)),
    "16-bit samples": lambda _: struct.pack("<4000H", *random.Random(3).choices(range(60, 250), k=4_000)),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("sample", BINARIES)
def test_other_binary_content_is_not_read_whatever_its_name(sample: str, name: str, tmp_path: Path) -> None:
    found = read(BINARIES[sample](tmp_path), name.format(sample))
    assert (found.text, UNREAD in found.measured) == ((), True)
    assert found.notes[0].startswith("It was not read: ")
    assert not found.media_type.startswith("text/")


def test_sound_is_sound_whatever_its_name() -> None:
    for name in NAMES:
        assert read(sound(), name.format("a.wav")).media_type == "audio/wav"


TEXTS = {
    "a note": b"P1 is the first runway, P2 the second.\nBoth were closed.\n",
    "numbers": b"P3 10 20 apples were counted in the barn that day\n",
    "a define": b"#define width 8\nint main(void) { return width; }\n",
    "a name": b"MZ was the mark of the mill, and BM that of the barn.\n",
    "simple": b"SIMPLE = T is how such a file begins, and this is none of them.\n",
    "latin": "Från Malmö till Östersund är det långt, sade hon på väg hem.\n".encode("latin-1") * 5,
    "greek": "Η γρήγορη καφέ αλεπού πηδάει πάνω από τον τεμπέλη σκύλο.\n".encode("iso8859-7") * 20,
    "russian": "Съешь же ещё этих мягких французских булок, да выпей чаю.\n".encode("cp1251") * 20,
    "japanese": "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。".encode("cp932") * 20,
    "chinese": "道可道，非常道。名可名，非常名。无名天地之始；有名万物之母。".encode("gb18030") * 20,
    "taiwanese": "道可道，非常道。名可名，非常名。無名天地之始；有名萬物之母。".encode("big5") * 20,
    "korean": "나는 아침에 일찍 일어나서 물을 마시고 책을 읽었다. 날씨가 좋았다.".encode("euc_kr") * 20,
    "thai": "ข้าวบาร์เลย์สุกแล้วในทุ่งนา และชาวนาก็เก็บเกี่ยวมัน".encode("cp874") * 20,
    "utf-16": "Fältet var gult av korn.\n".encode("utf-16-le") * 20,
}


@pytest.mark.parametrize("sample", TEXTS)
def test_text_stays_text(sample: str) -> None:
    assert read(TEXTS[sample], "letter.txt").media_type == "text/plain"
    assert read(TEXTS[sample], "letter").text
