"""Object identifiers that Z39.50 messages name: attribute sets, record syntaxes, schemas, diagnostics."""

from __future__ import annotations

_Z3950 = "1.2.840.10003"

BIB_1 = f"{_Z3950}.3.1"
EXP_1 = f"{_Z3950}.3.2"
GILS_ATTRIBUTES = f"{_Z3950}.3.5"
UTIL = f"{_Z3950}.3.11"
XD_1 = f"{_Z3950}.3.12"
ZTHES_ATTRIBUTES = f"{_Z3950}.3.13"

DIAGNOSTICS = f"{_Z3950}.4.1"

USMARC = f"{_Z3950}.5.10"
SUTRS = f"{_Z3950}.5.101"
GRS_1 = f"{_Z3950}.5.105"
XML = f"{_Z3950}.5.109.10"

GILS_SCHEMA = f"{_Z3950}.13.2"
ZTHES_SCHEMA = f"{_Z3950}.13.8"

USER_INFORMATION = f"{_Z3950}.10.3"  # userInformationField-1
NEGOTIATION = f"{_Z3950}.15.3"  # character set and language, version 3
UTF_8 = "1.0.10646.1.0.8"

# What PQF and people call them.
ATTRIBUTE_SETS = {
    "bib-1": BIB_1,
    "bib1": BIB_1,
    "gils": GILS_ATTRIBUTES,
    "util": UTIL,
    "xd-1": XD_1,
    "zthes": ZTHES_ATTRIBUTES,
    "exp-1": EXP_1,
    "exp1": EXP_1,
}
ATTRIBUTE_SET_NAMES = {
    BIB_1: "Bib-1",
    GILS_ATTRIBUTES: "GILS",
    ZTHES_ATTRIBUTES: "Zthes",
    XD_1: "XD-1",
    UTIL: "Util",
    EXP_1: "Exp-1",
}
