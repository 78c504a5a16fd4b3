"""Vocabularies for tests: written out as tables, taken into a store of the test's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from windrow.store.store import Store
from windrow.vocabularies.vocabulary_files import import_vocabulary
from windrow.vocabularies.vocabulary_view import VocabularyView

CLIMATE = """\
code,parent,label@en,label@sv,label@fi,alt@en,note@en
300,,Natural sciences,Naturvetenskap,Luonnontieteet,,
310,300,Climate change,Klimatförändring,Ilmastonmuutos,Global warming|Climatic change,Changes of the climate
311,310,Sea level rise,Havsnivåhöjning,Merenpinnan nousu,,
312,310,Glacier retreat,Glaciärsmältning,Jäätiköiden sulaminen,,
400,,Languages,Språk,Kielet,,
410,400,Finnic languages,Finska språk,Itämerensuomalaiset kielet,,
411,410,Finnish,Finska,Suomen kieli,,
412,410,Estonian,Estniska,Viro,,
420,400,Sign languages,Teckenspråk,Viittomakielet,,
"""


def vocabulary(store: Store, folder: Path, text: str = CLIMATE, name: str = "topics") -> VocabularyView:
    path = folder / f"{name}.csv"
    path.write_text(text, encoding="utf-8")
    import_vocabulary(store, name, path)
    return VocabularyView(store, name)


def table(parents: Mapping[str, Iterable[str]]) -> str:
    """Return concepts with these parents as a table."""
    lines = [f"{code},{'|'.join(above)},label {code}" for code, above in parents.items()]
    return "\n".join(["code,parent,label", *lines])
