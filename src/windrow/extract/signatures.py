"""Media types from the first bytes of a file (pictures, sound, film, archives, programs) or from its name.

Containers that share their first bytes (zip, OLE) are distinguished in `sniffing`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

# Names are only hints: they count if the content is inconclusive.

UNKNOWN = "application/octet-stream"

# Only types that their content does not reveal.
_ENDINGS = {
    "md": "text/markdown",
    "markdown": "text/markdown",
    "mdown": "text/markdown",
    "mkd": "text/markdown",
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "tab": "text/tab-separated-values",
    "json": "application/json",
    "geojson": "application/json",
    "jsonld": "application/json",
    "tex": "text/x-tex",
    "ltx": "text/x-tex",
    "htm": "text/html",
    "html": "text/html",
    "shtml": "text/html",
    "xhtml": "application/xhtml+xml",
    "xht": "application/xhtml+xml",
    "xml": "application/xml",
    "xmp": "application/xml",
    "rdf": "application/xml",
    "svg": "image/svg+xml",
    "eml": "message/rfc822",
    "mbox": "application/mbox",
    "ps": "application/postscript",
    "eps": "application/postscript",
    "mp3": "audio/mpeg",
    "mp2": "audio/mpeg",
    "mpga": "audio/mpeg",
    "aac": "audio/aac",
    "wpd": "application/vnd.wordperfect",
    "djvu": "image/vnd.djvu",
    "tga": "image/x-tga",
    "iso": "application/x-iso9660-image",
}
# Source code, configuration and logs: plain text, even if it starts with markup.
_PLAIN_ENDINGS_LIST = (
    "py pyi pyx rb sh bash zsh ksh fish csh pl pm t lua tcl awk sed php phtml php3 php4 php5 phps inc "
    "c h cc cpp cxx hpp hh hxx ino m mm cs java kt kts scala groovy gradle clj cljs ex exs erl hrl hs lhs "
    "ml mli fs fsx fsi vb bas vbs ps1 psm1 bat cmd go rs swift dart zig nim v vhd vhdl sv d pas pp ada adb "
    "ads f f77 f90 f95 for cob cbl lisp lsp el scm rkt r rmd jl js mjs cjs ts mts cts tsx jsx vue svelte "
    "coffee sql ddl asp aspx ascx ashx jsp jspx jspf cfm cfc erb ejs hbs mustache twig j2 jinja "
    "css scss sass less proto graphql thrift cmake mk make mak ninja bzl nix dockerfile tf hcl "
    "asm s ini cfg conf cnf properties env toml yaml yml desktop service reg inf log diff patch po pot "
    "bib cgi fcgi sas do ado sps mpl gp plt dot gv sty cls rst adoc org textile pod"
)
_PLAIN_ENDINGS = frozenset(_PLAIN_ENDINGS_LIST.split())
_PLAIN_NAMES_LIST = (
    "makefile gnumakefile dockerfile containerfile vagrantfile rakefile gemfile procfile jenkinsfile "
    "cmakelists.txt sconstruct"
)
_PLAIN_NAMES = frozenset(_PLAIN_NAMES_LIST.split())


def is_source_code(name: str) -> bool:
    """Return whether a name is that of source code, configuration or a log, which are plain text."""
    own = name.rpartition("/")[2].lower()
    return own in _PLAIN_NAMES or (ending_of(own) in _PLAIN_ENDINGS and type_by_name(own) == "")


def ending_of(name: str) -> str:
    """Return the suffix of a name in lower case, without the dot; "" if there is none."""
    stem, dot, ending = name.rpartition("/")[2].rpartition(".")
    return ending.lower() if dot and stem else ""


def type_by_name(name: str) -> str:
    return _ENDINGS.get(ending_of(name), "")


PDF_JUNK_BYTES = 1024  # offset at which a PDF may begin, as PDF readers allow
_FIRST: tuple[tuple[bytes, str], ...] = (
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"II+\x00", "image/tiff"),
    (b"MM\x00+", "image/tiff"),
    (b"8BPS\x00", "image/vnd.adobe.photoshop"),
    (b"\x00\x00\x00\x0cjP  \r\n\x87\n", "image/jp2"),
    (b"\xff\x4f\xff\x51", "image/jp2"),
    (b"\x00\x00\x00\x0cJXL \r\n\x87\n", "image/jxl"),
    (b"AT&TFORM", "image/vnd.djvu"),
    (b"fLaC", "audio/flac"),
    (b"MThd\x00\x00\x00\x06", "audio/midi"),
    (b"\xc5\xd0\xd3\xc6", "application/postscript"),  # with a DOS header and a preview
    (b"\x04%!PS", "application/postscript"),
    (b"\x1f\x8b\x08", "application/gzip"),
    (b"\xfd7zXZ\x00", "application/x-xz"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"\xffWPC", "application/vnd.wordperfect"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"),
    (b"\x7fELF", "application/x-executable"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"OTTO\x00", "font/otf"),
    (b"ttcf\x00", "font/collection"),
    (b"true\x00", "font/ttf"),
    (b"\x80\x01\x00\x00%!", "application/x-font-type1"),
    (b"DDS |\x00\x00\x00", "image/vnd-ms.dds"),
    (b"icns\x00", "image/icns"),
    (b"qoif\x00", "image/x-qoi"),
    (b"\x59\xa6\x6a\x95", "image/x-sun-raster"),
    (b"gimp xcf ", "image/x-xcf"),
    (b"FUJIFILMCCD-RAW ", "image/x-fuji-raf"),
    (b"#?RADIANCE", "image/vnd.radiance"),
    (b"v/1\x01", "image/aces"),
    (b"\xd7\xcd\xc6\x9a", "image/wmf"),
    (b"SIMPLE  =                    T", "image/fits"),
    (b"P7 332", "image/x-xv-thumbnail"),
    (b".snd\x00", "audio/basic"),
    (b"#!AMR", "audio/amr"),
    (b".ra\xfd", "audio/x-pn-realaudio"),
    (b".RMF\x00", "application/vnd.rn-realmedia"),
    (b"FLV\x01", "video/x-flv"),
    (b"\x00\x00\x01\xba", "video/mpeg"),
    (b"\x00\x00\x01\xb3", "video/mpeg"),
    (b"\x00asm", "application/wasm"),
    (b"\xca\xfe\xba\xbe", "application/java-vm"),
    (b"\xac\xed\x00\x05", "application/java-serialized-object"),
    (b"\xfe\xed\xfa\xce", "application/x-mach-binary"),
    (b"\xfe\xed\xfa\xcf", "application/x-mach-binary"),
    (b"\xce\xfa\xed\xfe", "application/x-mach-binary"),
    (b"\xcf\xfa\xed\xfe", "application/x-mach-binary"),
    (b"!<arch>\n", "application/x-archive"),
    (b"\xed\xab\xee\xdb", "application/x-rpm"),
    (b"\x1f\x9d", "application/x-compress"),
    (b"\x04\x22\x4d\x18", "application/x-lz4"),
    (b"LZIP\x01", "application/x-lzip"),
    (b"\x89HDF\r\n\x1a\n", "application/x-hdf5"),
    (b"\x0e\x03\x13\x01", "application/x-hdf"),
    (b"CDF\x01", "application/x-netcdf"),
    (b"CDF\x02", "application/x-netcdf"),
    (b"CDF\x05", "application/x-netcdf"),
    (b"\x93NUMPY", "application/x-npy"),
    (b"\x00\x01\x00\x00Standard ", "application/x-msaccess"),
    (b"!BDN", "application/vnd.ms-outlook-pst"),
    (b"\xde\x12\x04\x95", "application/x-gettext-translation"),
    (b"\x95\x04\x12\xde", "application/x-gettext-translation"),
    (b"L\x00\x00\x00\x01\x14\x02\x00", "application/x-ms-shortcut"),
    (b"BLENDER-v", "application/x-blender"),
    (b"BLENDER_v", "application/x-blender"),
)
# Weak signatures: if Pillow cannot read such a file, it is not a broken picture but something else.
DOUBTFUL_PICTURES = frozenset(
    ("image/x-tga", "image/x-pcx", "image/fits", "image/x-rgb", "image/x-portable-floatmap")
)
_NETPBM = re.compile(rb"P([1-6Ff])(?=[\s#])")
_NETPBM_GAP = re.compile(rb"(?:\s|#[^\n]{0,1000}\n)+")
_NETPBM_NUMBER = re.compile(rb"-?\d{1,9}(?:\.\d{1,20})?")
_NETPBM_PLAIN = re.compile(rb"(?:[\d\s]++|#[^\n]{0,1000}(?:\n|\Z))*+")
_NETPBM_KINDS = {
    b"1": "image/x-portable-bitmap",
    b"2": "image/x-portable-graymap",
    b"3": "image/x-portable-pixmap",
    b"4": "image/x-portable-bitmap",
    b"5": "image/x-portable-graymap",
    b"6": "image/x-portable-pixmap",
    b"F": "image/x-portable-floatmap",
    b"f": "image/x-portable-floatmap",
}
_PAM = re.compile(rb"P7\n(?:#[^\n]{0,1000}\n){0,50}(?:WIDTH|HEIGHT|DEPTH|MAXVAL|TUPLTYPE) ")
_XBM = re.compile(
    rb"(?:\s++|/\*(?:[^*]|\*(?!/)){0,2000}+\*/){0,20}+"
    rb"#define[ \t]+\S{0,200}width[ \t]+\d+\s+#define[ \t]+\S{0,200}height[ \t]+\d"
)
_CPIO = re.compile(rb"07070[12][0-9A-Fa-f]{104}|070707[0-7]{70}")
_TGA_TYPES = frozenset((1, 2, 3, 9, 10, 11))
_BZIP = re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")
_POSTSCRIPT = re.compile(rb"(?:\x1b%-12345X[^%]{0,500})?%!PS")
_BMP_HEADERS = frozenset((12, 40, 52, 56, 64, 108, 124))
_OGG = (
    (b"\x80theora", "video/ogg"),
    (b"\x01vorbis", "audio/ogg"),
    (b"OpusHead", "audio/ogg"),
    (b"\x7fFLAC", "audio/ogg"),
    (b"Speex   ", "audio/ogg"),
)
_RIFF = {b"WAVE": "audio/wav", b"WEBP": "image/webp", b"AVI ": "video/vnd.avi"}
_BRANDS = {
    b"M4A ": "audio/mp4",
    b"M4B ": "audio/mp4",
    b"M4P ": "audio/mp4",
    b"heic": "image/heic",
    b"heix": "image/heic",
    b"hevc": "image/heic",
    b"hevx": "image/heic",
    b"heim": "image/heic",
    b"heis": "image/heic",
    b"avif": "image/avif",
    b"avis": "image/avif",
    b"qt  ": "video/quicktime",
}
_STILLS = frozenset((b"mif1", b"msf1"))  # pictures whose coding is given by the other brands
_ASF = b"\x30\x26\xb2\x75\x8e\x66\xcf\x11"
_MPEG_RATES = {  # kilobits per second by version (1, or 2 and 2.5) and layer
    (1, 1): (0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448),
    (1, 2): (0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384),
    (1, 3): (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    (2, 1): (0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256),
    (2, 2): (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
    (2, 3): (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
_MPEG_HERTZ = {3: (44100, 48000, 32000), 2: (22050, 24000, 16000), 0: (11025, 12000, 8000)}


def type_by_signature(beginning: bytes, name: str = "") -> str:
    """Return the media type that the first bytes reveal, or ""."""
    for first, media_type in _FIRST:
        if beginning.startswith(first):
            return media_type
    for look in _LOOKS:
        media_type = look(beginning, name)
        if media_type:
            return media_type
    return ""


def _pdf(beginning: bytes, _name: str) -> str:
    return "application/pdf" if b"%PDF-" in beginning[:PDF_JUNK_BYTES] else ""


def _packed(beginning: bytes, _name: str) -> str:
    if _POSTSCRIPT.match(beginning):
        return "application/postscript"
    if _BZIP.match(beginning):
        return "application/x-bzip2"
    return "application/x-tar" if _is_tar(beginning) else ""


def _is_tar(beginning: bytes) -> bool:
    """Return whether the first 512 bytes are a tar header: it contains the sum of its bytes, in octal."""
    block = beginning[:512]
    stated = block[148:156].strip(b" \x00")
    if len(block) < 512 or not block[0] or not stated.isdigit() or stated.strip(b"01234567"):
        return False
    return sum(block) - sum(block[148:156]) + 8 * 32 == int(stated, 8)


def _bitmap(beginning: bytes, _name: str) -> str:
    if beginning.startswith(b"BM") and len(beginning) >= 26 and beginning[6:10] == bytes(4):
        return "image/bmp" if int.from_bytes(beginning[14:18], "little") in _BMP_HEADERS else ""
    if beginning[:4] in (b"\x00\x00\x01\x00", b"\x00\x00\x02\x00") and len(beginning) >= 22:
        count, planes = int.from_bytes(beginning[4:6], "little"), beginning[9]
        return "image/x-icon" if 0 < count <= 256 and planes == 0 else ""
    return ""


def _netpbm(beginning: bytes, _name: str) -> str:
    """Detect Netpbm images: a header of numbers, and about as much data as it states."""
    if _PAM.match(beginning):
        return "image/x-portable-arbitrarymap"
    magic = _NETPBM.match(beginning)
    if magic is None:
        return ""
    numbers: list[int] = []
    at = magic.end()
    for _ in range(2 if magic[1] in (b"1", b"4") else 3):
        gap = _NETPBM_GAP.match(beginning, at)
        number = _NETPBM_NUMBER.match(beginning, gap.end()) if gap else None
        if number is None:
            return ""
        numbers.append(int(float(number[0])))
        at = number.end()
    width, height = numbers[:2]
    data = beginning[at:]
    if not (width > 0 and height > 0 and data[:1].isspace()):
        return ""
    if magic[1] in (b"1", b"2", b"3"):  # plain variants consist of numbers to the end
        is_data = _NETPBM_PLAIN.fullmatch(data) is not None
    else:
        needed = (width + 7) // 8 * height if magic[1] == b"4" else width * height
        is_data = len(data) * 2 >= min(needed, len(beginning))
    return _NETPBM_KINDS[magic[1]] if is_data else ""


def _drawn(beginning: bytes, name: str) -> str:
    """Detect pictures of old programs, whose headers have hardly any signature."""
    if len(beginning) > 128 and beginning[:1] == b"\x0a" and beginning[1] in (0, 2, 3, 4, 5):
        is_pcx = beginning[2] in (0, 1) and beginning[3] in (1, 2, 4, 8) and beginning[64] == 0
        return "image/x-pcx" if is_pcx else ""
    if beginning[:2] == b"\x01\xda" and beginning[2:3] in (b"\0", b"\1") and beginning[3:4] in (b"\1", b"\2"):
        return "image/x-rgb"
    if _is_tga(beginning):
        return "image/x-tga"
    if is_source_code(name):  # source code may contain such a picture
        return ""
    if beginning.lstrip()[:9] == b"/* XPM */":
        return "image/x-xpixmap"
    return "image/x-xbitmap" if _XBM.match(beginning) else ""


def _is_tga(beginning: bytes) -> bool:
    """Return whether 18 bytes are a Truevision header, which has no signature, but few possible values."""
    if len(beginning) < 19 or beginning[1] > 1 or beginning[2] not in _TGA_TYPES:
        return False
    first, length = (int.from_bytes(beginning[at : at + 2], "little") for at in (3, 5))
    width, height = (int.from_bytes(beginning[at : at + 2], "little") for at in (12, 14))
    depth, descriptor = beginning[16], beginning[17]
    if beginning[2] in (1, 9) and not beginning[1]:  # the required palette is missing
        return False
    is_map_right = beginning[7] in (15, 16, 24, 32) and length > 0 if beginning[1] else not (first or length)
    depths = (8,) if beginning[2] in (1, 3, 9, 11) else (15, 16, 24, 32)
    is_sized = width > 0 and height > 0 and (depth in depths or (beginning[2] in (3, 11) and depth == 16))
    return is_map_right and is_sized and descriptor & 0xC0 == 0 and descriptor & 0x0F <= 8


def _program(beginning: bytes, _name: str) -> str:
    """Detect programs, scientific data and system files: binary, though some begin with words."""
    if beginning[:2] == b"MZ" and b"\0" in beginning[2:64]:
        return "application/vnd.microsoft.portable-executable"
    if beginning[:4] == b"\x00\x01\x00\x00" and 0 < int.from_bytes(beginning[4:6], "big") < 100:
        return "font/ttf"
    if beginning[128:132] == b"DICM":
        return "application/dicom"
    if beginning.startswith(b"MATLAB 5.0 MAT-file") and beginning[126:128] in (b"IM", b"MI"):
        return "application/x-matlab-data"
    if beginning[:4] in (b"PAR1", b"GRIB", b"BUFR", b"PACK") and b"\0" in beginning[4:64]:
        kinds = {b"PAR1": "vnd.apache.parquet", b"GRIB": "x-grib", b"BUFR": "x-bufr", b"PACK": "x-git-pack"}
        return f"application/{kinds[beginning[:4]]}"
    if beginning[:3] in (b"FWS", b"CWS", b"ZWS") and beginning[3:4] < b"\x32" and b"\0" in beginning[4:16]:
        return "application/x-shockwave-flash"
    if beginning[:4] == b"AC10" and beginning[4:6].isdigit() and beginning[6:7] == b"\0":
        return "image/vnd.dwg"
    return "application/x-cpio" if _CPIO.match(beginning) else ""


def _chunked(beginning: bytes, _name: str) -> str:
    if beginning.startswith(b"RIFF"):
        return _RIFF.get(beginning[8:12], "")
    if beginning.startswith(b"FORM") and beginning[8:12] in (b"AIFF", b"AIFC"):
        return "audio/aiff"
    return ""


def _ogg(beginning: bytes, _name: str) -> str:
    if not beginning.startswith(b"OggS"):
        return ""
    return next((kind for mark, kind in _OGG if mark in beginning[:8192]), "audio/ogg")


def _boxes(beginning: bytes, name: str) -> str:
    """Detect files made of boxes (MP4 and related). The first box lists the brands."""
    if beginning[4:8] in (b"moov", b"mdat", b"wide") and beginning[8:16].strip(b"\x00"):
        return "video/quicktime"
    if beginning[4:8] != b"ftyp":
        return ""
    size = min(int.from_bytes(beginning[:4], "big"), 512)
    brands = [beginning[8:12], *(beginning[at : at + 4] for at in range(16, size, 4))]
    if brands[0] in _STILLS:
        return "image/avif" if b"avif" in brands else "image/heic"
    if brands[0].startswith(b"3g"):
        return "video/3gpp"
    return _BRANDS.get(brands[0]) or _film_or_sound(beginning, name)


def _film_or_sound(beginning: bytes, name: str) -> str:
    handlers = {beginning[at + 12 : at + 16] for at in _places(beginning, b"hdlr", 50)}
    if b"vide" in handlers:
        return "video/mp4"
    is_sound = b"soun" in handlers or ending_of(name) in ("m4a", "m4b", "m4p")
    return "audio/mp4" if is_sound else "video/mp4"


def _places(data: bytes, mark: bytes, most: int) -> list[int]:
    found: list[int] = []
    at = data.find(mark)
    while at >= 0 and len(found) < most:
        found.append(at)
        at = data.find(mark, at + len(mark))
    return found


def _matroska(beginning: bytes, name: str) -> str:
    if not beginning.startswith(b"\x1a\x45\xdf\xa3"):
        return ""
    kind = "webm" if b"webm" in beginning[:256] else "matroska"
    return f"audio/{kind}" if ending_of(name) in ("mka", "weba") else f"video/{kind}"


def _windows_media(beginning: bytes, name: str) -> str:
    if not beginning.startswith(_ASF):
        return ""
    return "audio/x-ms-wma" if ending_of(name) == "wma" else "video/x-ms-asf"


def _mpeg(beginning: bytes, _name: str) -> str:
    if beginning.startswith(b"ID3"):
        return _behind_id3(beginning)
    if beginning[:2] in (b"\xff\xf1", b"\xff\xf9") and len(beginning) > 6:
        length = (beginning[3] & 3) << 11 | beginning[4] << 3 | beginning[5] >> 5
        return "audio/aac" if beginning[length : length + 2] == beginning[:2] else ""
    length = frame_length(beginning)
    follows = beginning[length : length + 4]
    # Two consecutive frames are required: a single frame's signature is also the byte order mark of UTF-16.
    is_sound = length > 0 and follows[:1] == b"\xff" and follows[1:2] == beginning[1:2]
    return "audio/mpeg" if is_sound and frame_length(follows) else ""


def _behind_id3(beginning: bytes) -> str:
    """Return the type of the sound after an ID3 tag, which precedes several kinds."""
    if len(beginning) < 10 or beginning[3] == 0xFF:
        return "audio/mpeg"
    size = 0
    for byte in beginning[6:10]:
        size = size << 7 | byte & 0x7F
    behind = beginning[10 + size : 14 + size]
    if behind == b"fLaC":
        return "audio/flac"
    return "audio/aac" if behind[:2] in (b"\xff\xf1", b"\xff\xf9") else "audio/mpeg"


def frame_length(header: bytes) -> int:
    """Return the length of the MPEG audio frame with this four-byte header; 0 if it is none."""
    if len(header) < 4 or header[0] != 0xFF or header[1] < 0xE0:
        return 0
    version, layer = header[1] >> 3 & 3, 4 - (header[1] >> 1 & 3)
    rate, hertz = header[2] >> 4, header[2] >> 2 & 3
    if version == 1 or layer == 4 or rate in (0, 15) or hertz == 3:
        return 0
    bits = _MPEG_RATES[1 if version == 3 else 2, layer][rate] * 1000
    padding = header[2] >> 1 & 1
    frequency = _MPEG_HERTZ[version][hertz]
    if layer == 1:
        return (12 * bits // frequency + padding) * 4
    samples = 72 if layer == 3 and version != 3 else 144
    return samples * bits // frequency + padding


_LOOKS: tuple[Callable[[bytes, str], str], ...] = (
    _chunked,
    _ogg,
    _boxes,
    _bitmap,
    _matroska,
    _windows_media,
    _mpeg,
    _packed,
    _netpbm,
    _drawn,
    _program,
    _pdf,  # last, because it searches far into the bytes
)
