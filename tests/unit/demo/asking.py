"""Questions to a repository without HTTP, and answers as trees."""

from __future__ import annotations

from lxml import etree

from windrow.demo.thesis_repository import Repository

OAI = "{http://www.openarchives.org/OAI/2.0/}"


def ask(repository: Repository, **arguments: str) -> etree._Element:
    """The parsed answer; `from_` stands for from."""
    pairs = [(name.rstrip("_"), value) for name, value in arguments.items()]
    return etree.fromstring(repository.answer(pairs))


def texts(answer: etree._Element, name: str) -> list[str]:
    """The texts of all OAI elements of this name."""
    return [element.text or "" for element in answer.iter(OAI + name)]


def error(answer: etree._Element) -> str | None:
    """The code of the error in it."""
    found = answer.find(OAI + "error")
    return None if found is None else found.get("code")


def pages(repository: Repository, **arguments: str) -> list[etree._Element]:
    """Every page of a list, following its tokens."""
    found = [ask(repository, **arguments)]
    while (token := "".join(texts(found[-1], "resumptionToken"))) != "":
        found.append(ask(repository, verb=arguments["verb"], resumptionToken=token))
    return found


def identifiers(repository: Repository, **arguments: str) -> list[str]:
    """The identifiers of a whole list, in order."""
    found = pages(repository, verb="ListIdentifiers", metadataPrefix="oai_dc", **arguments)
    return [identifier for page in found for identifier in texts(page, "identifier")]
