"""Repositories shaped as DSpace, EPrints, OJS and Invenio shape them, each with the truth about its records.

The truth is written down beside the sets, not worked out from them: which records there are, and which
institutions and departments each belongs to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random

from tests.servers.items import NAMESPACES, Item
from tests.servers.oai import OaiServer

Units = tuple[tuple[str, str | None], ...]
START = datetime(2021, 3, 1, tzinfo=UTC)
FORMATS = ("oai_dc", "dim")
STATED = "The name that the metadata states"


@dataclass(slots=True)
class Shape:
    """A repository, and what is true of each of its records."""

    sets: list[tuple[str, str]]
    items: list[Item] = field(default_factory=list)
    truth: dict[str, Units] = field(default_factory=dict)
    types: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def add(self, specs: Sequence[str], *units: tuple[str, str | None], types: tuple[str, ...] = ()) -> None:
        """Add a record in these sets that belongs to these units."""
        number = len(self.items)
        identifier = f"oai:shape.example:{number}"
        self.items.append(Item(identifier, START + timedelta(hours=number), tuple(specs), _record(number)))
        self.truth[identifier] = units
        self.types[identifier] = types

    def server(self, prefix: str = "oai_dc") -> OaiServer:
        """Serve it in one format; the richer one states an institution of its own, by another name."""
        items = self.items
        if prefix == "dim":
            items = [
                Item(each.identifier, each.stamp, each.sets, _rich(number))
                for number, each in enumerate(items)
            ]
        return OaiServer(items, sets=self.sets, formats=(prefix,), page_size=50)

    @property
    def institutions(self) -> dict[str, int]:
        """How many records each institution has."""
        return dict(Counter(name for units in self.truth.values() for name in {each[0] for each in units}))

    @property
    def departments(self) -> dict[tuple[str, str], int]:
        """How many records each department of an institution has."""
        pairs = ((one, two) for units in self.truth.values() for one, two in set(units) if two)
        return dict(Counter(pairs))

    @property
    def unassigned(self) -> set[str]:
        """The records that belong nowhere."""
        return {identifier for identifier, units in self.truth.items() if not units}


def dspace(*, seed: int = 7) -> Shape:
    """Universities of applied sciences in one repository: flat com_ and col_, in any order, some nested.

    One department is two collections of the same name; some records belong to two universities.
    """
    random = Random(seed)
    names = {
        "com_10024_1": "Niityn ammattikorkeakoulu",
        "com_10024_2": "Meadow University of Applied Sciences",
        "com_10024_3": "Högskolan på Ängen",
        "com_10024_7": "Tekniikka",  # inside the first
        "com_10024_60": "Institutionen för vård",  # inside the third, where it is alone
        "col_10024_11": "Liiketalous",
        "col_10024_12": "Liiketalous",
        "col_10024_13": "Opinnäytetyöt (tekniikka)",
        "col_10024_14": "Julkaisut (tekniikka)",
        "col_10024_21": "Nursing",
        "col_10024_22": "Business & Law",
        "col_10024_31": "Examensarbeten",
        "hdl_10024_21": "Nursing",
        "openaire": "OpenAIRE",
    }
    first, second, third = (names[f"com_10024_{number}"] for number in (1, 2, 3))
    shape = Shape([(spec, name.replace("&", "&amp;")) for spec, name in names.items()])
    plans: list[tuple[int, tuple[str, ...], Units]] = [
        (20, ("com_10024_1", "col_10024_11"), ((first, "Liiketalous"),)),
        (13, ("com_10024_1", "col_10024_12"), ((first, "Liiketalous"),)),
        (4, ("com_10024_1", "col_10024_11", "col_10024_12"), ((first, "Liiketalous"),)),
        (17, ("com_10024_1", "com_10024_7", "col_10024_13"), ((first, "Tekniikka"),)),
        (6, ("com_10024_1", "com_10024_7", "col_10024_14"), ((first, "Tekniikka"),)),
        (25, ("com_10024_2", "col_10024_21", "hdl_10024_21"), ((second, "Nursing"),)),
        (9, ("com_10024_2", "col_10024_22"), ((second, "Business & Law"),)),
        (11, ("com_10024_3", "com_10024_60", "col_10024_31"), ((third, "Institutionen för vård"),)),
        (
            5,
            ("com_10024_1", "col_10024_11", "com_10024_2", "col_10024_22", "openaire"),
            ((first, "Liiketalous"), (second, "Business & Law")),
        ),
        (3, ("openaire",), ()),
        (2, (), ()),
    ]
    records = [(specs, units) for count, specs, units in plans for _ in range(count)]
    random.shuffle(records)
    for specs, units in records:
        shape.add(random.sample(specs, len(specs)), *units)
    return shape


def eprints() -> Shape:
    """One university: divisions in a hierarchy, subjects beside it, types and a status, in hexadecimal."""
    named = {
        ("divisions=sci",): "Divisions = Faculty of Science",
        ("divisions=sci", "math"): "Divisions = Faculty of Science: School of Mathematics",
        ("divisions=sci", "phys"): "Divisions = Faculty of Science: School of Physics",
        ("divisions=hum",): "Divisions = Faculty of Humanities",
        ("divisions=hum", "hist"): "Divisions = Faculty of Humanities: History",
        ("subjects=Q",): "Subject = Q Science",
        ("subjects=Q", "QA"): "Subject = Q Science: QA Mathematics",
        ("types=article",): "Type = Article",
        ("types=thesis",): "Type = Thesis",
        ("status=pub",): "Status = Published",
    }
    shape = Shape([(hexadecimal(*path), name) for path, name in named.items()])
    science, humanities = "Faculty of Science", "Faculty of Humanities"
    fields = ("status=pub", "types=article", "types=thesis")
    published, article, thesis = map(hexadecimal, fields)
    maths, history = hexadecimal("divisions=sci", "math"), hexadecimal("divisions=hum", "hist")
    for _ in range(8):
        subject = hexadecimal("subjects=Q", "QA")
        shape.add(
            [published, subject, maths, article], (science, "School of Mathematics"), types=("Article",)
        )
    for _ in range(5):
        physics = hexadecimal("divisions=sci", "phys")
        shape.add([physics, published, thesis], (science, "School of Physics"), types=("Thesis",))
    for _ in range(4):
        shape.add([history, published], (humanities, "History"))
    for _ in range(3):
        shape.add([published, maths, history], (humanities, "History"), (science, "School of Mathematics"))
    for _ in range(2):
        shape.add([hexadecimal("divisions=hum"), article], (humanities, None), types=("Article",))
    shape.add([published, article], types=("Article",))
    return shape


def hexadecimal(*parts: str) -> str:
    """Write a spec as EPrints does."""
    return ":".join(part.encode().hex().upper() for part in parts)


def ojs() -> Shape:
    """Two journals with sections, some of them of the same name."""
    shape = Shape(
        [
            ("driver", "Open Access DRIVERset"),
            ("hay", "Journal of Hay"),
            ("hay:ART", "Articles"),
            ("hay:EDI", "Editorial"),
            ("meadow", "Meadow Studies"),
            ("meadow:ART", "Articles"),
        ]
    )
    for spec, count, unit in (
        ("hay:ART", 12, ("Journal of Hay", "Articles")),
        ("hay:EDI", 3, ("Journal of Hay", "Editorial")),
        ("meadow:ART", 7, ("Meadow Studies", "Articles")),
    ):
        for number in range(count):
            shape.add([spec, *(["driver"] if number % 2 else [])], unit)
    return shape


def invenio() -> Shape:
    """Communities, in the specs of two versions; a record may be in several."""
    shape = Shape(
        [
            ("community-cern", "CERN"),
            ("community-hay", "Institute of Hay"),
            ("user-barn", "Barn Laboratory"),
            ("openaire", "OpenAIRE"),
        ]
    )
    for specs, count, units in (
        (("community-cern",), 9, (("CERN", None),)),
        (("openaire", "community-hay"), 6, (("Institute of Hay", None),)),
        (("user-barn", "community-hay"), 4, (("Barn Laboratory", None), ("Institute of Hay", None))),
        (("openaire",), 2, ()),
    ):
        for _ in range(count):
            shape.add(specs, *units)
    return shape


SHAPES: Mapping[str, object] = {"DSpace": dspace, "EPrints": eprints, "OJS": ojs, "Invenio": invenio}


def specs_of(items: Iterable[Item]) -> set[str]:
    """The specs on these records."""
    return {spec for item in items for spec in item.sets}


def _record(number: int) -> str:
    return (
        f"<oai_dc:dc {NAMESPACES}><dc:title>Title {number}</dc:title><dc:date>{2010 + number % 9}</dc:date>"
        f"<dc:subject>topic {number % 4}</dc:subject></oai_dc:dc>"
    )


def _rich(number: int) -> str:
    values = {
        ("title", ""): f"Title {number}",
        ("date", "issued"): str(2010 + number % 9),
        ("subject", ""): f"topic {number % 4}",
        ("contributor", "organization"): STATED,
    }
    fields = "".join(
        f'<dim:field mdschema="dc" element="{element}"'
        + (f' qualifier="{qualifier}"' if qualifier else "")
        + f">{value}</dim:field>"
        for (element, qualifier), value in values.items()
    )
    return f'<dim:dim xmlns:dim="http://www.dspace.org/xmlns/dspace/dim">{fields}</dim:dim>'
