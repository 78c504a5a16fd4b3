"""Stylesheets compiled and run: a payload in, markup out. Used only inside `styling_child`.

XSLT 1.0 and nothing beyond it: no other document is read or written, no extension is there, and nothing is
imported but the stylesheets that Windrow has, as `windrow:default.xsl`.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lxml import etree

from windrow.faces.shared.tongue import TONGUES, tongue
from windrow.formats.registry import reader_for

OURS = "windrow:"
MOST_COMPILED = 50
_XSL = "{http://www.w3.org/1999/XSL/Transform}"
_SAY = "{urn:windrow}say"
_SHIPPED: Mapping[str, bytes] = {
    path.stem: path.read_bytes() for path in sorted(Path(__file__).with_name("xslt").glob("*.xsl"))
}
_KIN = {"qdc": "oai_dc", "uketd_dc": "etdms"}  # formats that are read like another
_DEFAULT = "default"
# Functions and elements that libxslt knows beyond XSLT: some write files, some tell the time.
_EXTENSIONS = (
    "http://exslt.org/",
    "http://xmlsoft.org/XSLT/",
    "http://icl.com/saxon",
    "http://www.jclark.com/xt",
    "org.apache.xalan",
    "http://xml.apache.org/",
    "http://codespeak.net/",
)
_DENY_ALL: Any = etree.XSLTAccessControl.DENY_ALL  # type: ignore[attr-defined]


class BadStylesheet(Exception):
    """A stylesheet that cannot be used for anything; the message says why."""


class BadPayload(Exception):
    """Metadata that no stylesheet can be run on."""


class Transforms:
    """Compiled stylesheets, the most recent ones kept."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str], etree.XSLT] = OrderedDict()
        for code in TONGUES:
            tongue(code)  # read now: later no file can be opened

    def make(self, payload: bytes, prefix: str, sheet: bytes, language: str, identifier: str) -> str:
        """Give the markup that a stylesheet makes of a payload; without a stylesheet, our own for its format.

        Raises BadStylesheet, BadPayload and whatever lxml raises.
        """
        tree = _parse(payload)
        name = "" if sheet else _name_for(str(tree.getroot().tag), prefix)
        transform = self._compiled(sheet or _SHIPPED[name], language)
        told = {"language": language, "format": prefix, "identifier": identifier}
        quoted: dict[str, Any] = {key: etree.XSLT.strparam(value) for key, value in told.items()}
        try:
            made = transform(tree, **quoted)
        except etree.XSLTApplyError as exc:
            raise BadPayload(_reason(transform) or str(exc)) from exc
        if made.getroot() is not None:
            for heading in made.iter("h1"):  # the page has one of its own
                heading.tag = "h2"
        return str(made)

    def _compiled(self, text: bytes, language: str) -> etree.XSLT:
        key = hashlib.sha256(text).hexdigest(), language
        if key not in self._kept:
            self._kept[key] = _compile(text, language)
        self._kept.move_to_end(key)
        while len(self._kept) > MOST_COMPILED:
            self._kept.popitem(last=False)
        return self._kept[key]


def _reason(transform: Any) -> str:
    """What libxslt says went wrong: the first of its complaints say it, one of them in many words."""
    said = [each.message.partition("\n")[0] for each in list(transform.error_log)[:5]]
    return max(said, key=len, default="")


def _name_for(root: str, prefix: str) -> str:
    """The stylesheet of ours for a payload, by what it is and not by what it is called."""
    reader = reader_for(root, prefix, with_plugins=False)
    name = "" if reader is None else _KIN.get(reader.name, reader.name)
    return name if name in _SHIPPED else _DEFAULT


def _parse(payload: bytes) -> etree._ElementTree:
    try:
        root = etree.fromstring(payload, _parser())
    except etree.XMLSyntaxError as exc:
        # lxml refuses namespace names that are no addresses, which XML allows. Everything else is a fault.
        lenient = _parser(recover=True)
        root = etree.fromstring(payload, lenient)
        faults: Any = lenient.error_log
        if root is None or any(each.domain != etree.ErrorDomains.NAMESPACE for each in faults):
            raise BadPayload(f"the metadata is not well-formed, or too deep: {exc}") from exc
    tree = root.getroottree()
    if tree.docinfo.internalDTD is not None:
        raise BadPayload("the metadata has a document type")
    return tree


def _parser(*, recover: bool = False) -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,  # which also bounds the depth
        remove_comments=True,
        remove_pis=True,
        recover=recover,
    )


class _OnlyOurs(etree.Resolver):
    """Gives the stylesheets that Windrow has, and for everything else an error."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language

    def resolve(self, url: str, public_id: str, context: object) -> Any:  # type: ignore[override] # noqa: ARG002
        """Give one of ours, with its words said."""
        name = url.removeprefix(OURS).removesuffix(".xsl")
        if not url.startswith(OURS) or name not in _SHIPPED:
            raise BadStylesheet(f"{url} cannot be had: stylesheets read nothing but windrow:default.xsl")
        said = _spoken(etree.fromstring(_SHIPPED[name]), self._language)
        return self.resolve_string(etree.tostring(said), context, base_url=url)


def _compile(text: bytes, language: str) -> etree.XSLT:
    parser = _parser()
    parser.resolvers.add(_OnlyOurs(language))
    try:
        root = etree.fromstring(text, parser)
        _check(root)
        _force_html(_spoken(root, language))
        return etree.XSLT(root.getroottree(), access_control=_DENY_ALL, regexp=False)
    except etree.LxmlError as exc:
        raise BadStylesheet(f"it cannot be read: {exc}") from exc


def _check(root: etree._Element) -> None:
    """Refuse what reaches beyond the payload, before anything of it is run."""
    if root.getroottree().docinfo.internalDTD is not None:
        raise BadStylesheet("it has a document type; write characters as numbers, such as &#160;")
    for _, (_, address) in etree.iterwalk(root, events=("start-ns",)):
        if address.startswith(_EXTENSIONS):
            raise BadStylesheet(f"it declares extensions ({address}); there is XSLT 1.0 and nothing else")
    for element in root.iter(f"{_XSL}import", f"{_XSL}include", f"{_XSL}document"):
        href = element.get("href") or ""
        if element.tag == f"{_XSL}document" or not href.startswith(OURS):
            raise BadStylesheet(f"it reads or writes {href[:200]!r}; only ours can be imported")


def _spoken(root: etree._Element, language: str) -> etree._Element:
    """Put words in the language of the pages where a stylesheet says them."""
    spoken = tongue(language if language in TONGUES else "en")
    for element in list(root.iter(_SAY)):
        words = etree.Element(f"{_XSL}text")
        words.text = spoken.say((element.text or "").strip())
        words.tail = element.tail
        parent = element.getparent()
        if parent is not None:
            parent.replace(element, words)
    return root


def _force_html(root: etree._Element) -> None:
    """Have the result written as HTML, whatever the stylesheet would like: it becomes part of a page."""
    for element in root.findall(f"{_XSL}output"):
        root.remove(element)
    if root.tag in (f"{_XSL}stylesheet", f"{_XSL}transform"):
        forced = etree.SubElement(root, f"{_XSL}output", method="html", encoding="UTF-8", indent="no")
        forced.tail = "\n"
