"""Which of several descriptions is the abstract, where the format does not say."""

from __future__ import annotations

from windrow.model.document import Text


def abstract_first(texts: tuple[Text, ...]) -> tuple[Text, ...]:
    """Give the texts with the first long one in front; the others keep their order.

    Repositories put notes beside abstracts: "This is the final version. It was first published by …" Long is
    what has half the letters of the longest: of an abstract in two languages the first stays in front.
    """
    if len(texts) < 2:
        return texts
    least = max(len(text.value) for text in texts) / 2
    place = next(place for place, text in enumerate(texts) if len(text.value) >= least)
    return texts if place == 0 else (texts[place], *texts[:place], *texts[place + 1 :])
