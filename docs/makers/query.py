"""The page of the query language: how to write one, and every field that one can name."""

from __future__ import annotations

from docs.makers.table import code, table
from windrow.model.query import FIELDS, FieldKind, QueryField

_PREFACE = """\
# The query language

The same in the search box of the pages, in `windrow search`, in the JSON API and in the sets that
[a query defines](../howto/define-a-set.md).

"""
_EXAMPLES = (
    ("`peat bogs`", "with both words, in any field and any form (peats, bog)"),
    ('`"peat bogs"`', "with these words side by side, just as they stand"),
    ('`"peat bogs"~3`', "with these words in either order, no more than three others between them"),
    ("`peat OR moss`", "with one of them"),
    ("`peat NOT moss`, `peat -moss`", "with the first and without the second"),
    ("`peat && !moss`", "the same in signs; `!` is NOT only in a query that has such signs"),
    ("`(peat OR moss) bogs`", "with either, and the third"),
    ("`(peat moss bog)~2`", "with at least two of the three, those with more and rarer ones first"),
    ("`title:peat`", "with the word in that field"),
    ("`title:(peat OR moss)`", "with one of the words in that field"),
    ('`creator:"Aho, Ida"`', 'by that person; `creator:"Ida Aho"` finds the same'),
    ('`type="Master\'s thesis"`', "with exactly that value, capitals and all"),
    ("`issued:20190801..20200731`", "issued between two days; what states only a year is taken for 1 July"),
    ("`year:2010..2014`, `year=2010..2014`, `year:2020..`", "of those years, of 2020 and later"),
    ("`year:2019/20`, `year:2019/20..2021/22`", "of those academic years, in a portal that counts them"),
    ("`date:2014-05`", "dated in that month"),
    ("`geo*`, `wom?n`", "with words that begin so, with any letter there"),
    ("`peet~`", "with words that are spelled nearly so"),
    ("`peat^3 moss`", "with both; the first counts three times as much"),
    ("`language:fi`, `language:finnish`, `language:suomi`", "in that language"),
    (
        '`affiliation="University A" affiliation="University B"`',
        "that name both institutions, as their own or as that of one of their people",
    ),
    (
        "`notes:peat`",
        "with the word in text that has no field of its own",
    ),
    ('`text:"peat bogs"`', "whose file has these words side by side on one page"),
    ("`folder:letters/2014`", "whose file lies in that folder or below"),
    ("`size:1000000..`", "whose file has a million bytes or more"),
    ("`media:application/pdf`, `media:image/*`", "whose file is a PDF, is a picture"),
    ('`extra:"camera=box 7"`', "whose file has that value in a field that no other name here is for"),
    ("`source:theses set:col_1`", "of that source, in that set of it or below"),
    ("`event:(place:Oslo period:autumn)`", "with an event in Oslo that is itself in autumn"),
)
_MANNERS = """
Words side by side must all be there. NOT binds more closely than AND, AND more closely than OR. Case and
accents make no difference, nor do soft hyphens. A word finds its Finnish, Swedish and English forms, too,
and an English one its other spelling (`colour`, `color`); what has the word as it was written comes
first. All text of a record is looked through, also what a format says that no field is for; what is found
only there (`notes`) comes last, and only in the form it was written in. Rights, formats and addresses are
looked through when their field is named. Quotation marks switch the forms off: `"bogs"`. Names of people and
codes are never bent; a name in quotation marks is found with the family name first and with it last. A
question mark at the end of a word is one, not a wildcard. A minus is NOT where nothing is glued to it in
front. A field's name with a colon, a space and several words behind it (`Time: a short history`) may be a
title: both are looked for. Where signs find nothing, the same text is offered as plain words. At most 20
wildcards inside words (`wom?n`, `*ology`), tildes and ranges of words fit in one query; beginnings (`geo*`)
are not counted.

## Where no record has everything

Pages, `windrow search` and the search of the JSON API then show what comes nearest, and say so:

1. A text whose signs are part of a title (`Hay -making`) finds the record with exactly that title.
2. A misspelt word with an evident correction is searched as corrected: no record has the word, and another
   one a slip away (two in a word of eight letters or more) finds records with all words. A link searches for
   the text as written.
3. A quoted phrase of three words or more, or one among four other words, is searched without its quotation
   marks if records have all of its words, as written or corrected; so are minuses in a text of four other
   words or more: both may be part of a title.
4. Otherwise records with most of the words, or with some, are shown, those with more and rarer words first;
   a word in a title, a name or a topic counts more than one inside a text.
   Each lists the words that it lacks. Words that more than a tenth of all records have, and words that only
   join others ("the", "of", "what"), are not
   looked for beside two others. A word that no record has is corrected here, too, if a correction is
   evident. A word with a plus before it (`+peat`) is never left out. A phrase as in 3 is taken as words only
   if nothing else is found.

If one to five records have all of three words or more, but most of the words only far inside long texts,
records with most of the words are shown as well.

Otherwise only plain words are corrected or left out. Phrases in quotation marks, fields, patterns, filters
and words after a minus hold as written, and a text with AND, OR or NOT is searched as it is. `match=all` in
an address, and `--exact` on the command line, switch all of this off. Files of results, feeds, counts,
statistics, `windrow export --query` and sets never have more than was asked for; the page of a partial result
links files and statistics of exactly the records it shows, by an expression such as `(peat moss bog)~2`.

## Mistakes

A mistake is explained, with what to write instead. A stray sign, an open bracket or an empty pair of
quotation marks beside other words is passed over. A condition that cannot be understood is true of no record,
so that a slip never finds more than was asked for:

| Write | What is wrong | What it finds |
|---|---|---|
| `year:soon`, `year:>soon`, `year:..`, `date:2020-13-45` | not a number, not a date | nothing |
| `peat year:soon` | the same | nothing: both must hold |
| `peat OR year:soon` | the same | what has peat |
| `-year:soon` | the same | nothing: what is not understood is not known to be false either |
| `institution:`, `title:""` | nothing follows the field | nothing |
| `""`, `-`, `AND` alone | there is nothing to look for | nothing |
| more than 2,000 characters | too long | nothing |
| `flavour:peat` | there is no such field | what has peat in any field |

The same holds for filters in addresses, such as `year=soon` or a collection that is not there. Pages and
`windrow search` explain it; the JSON API lists it in `mistakes`, and refuses it with 400 where an answer has
no place for that; files and feeds are refused with 400. The query of a set is refused for any mistake,
because a set must not fill by accident.

## What a search may cost

What a query costs is estimated before it is begun, from the words that its patterns stand for, the records
that have its words, and the number of its conditions. A query that would take about half a second or more is
refused with 400 and what to change; a single pattern such as `*ology` may take three times as long. In a
library of 200,000 records that leaves room for two patterns without a beginning, or for a few hundred
ordinary words. `windrow search` has forty times as much.

## Fields
"""
_KINDS = {
    FieldKind.WORDS: "word by word",
    FieldKind.EXACT: "as a whole",
    FieldKind.TREE: "as a whole, and what lies below it",
    FieldKind.NUMBER: "as a number",
    FieldKind.DATE: "as exactly as it is given",
}


def make_page() -> str:
    """Write the page."""
    shown = table(("Write", "To get records"), _EXAMPLES)
    fields = table(("Field", "Also called", "Compared", "Looked through"), map(_row, FIELDS.values()))
    return _PREFACE + shown + _MANNERS + "\n" + fields


def _row(field: QueryField) -> tuple[str, str, str, str]:
    compared = _KINDS[field.kind] + (", in any form" if field.is_stemmed else "")
    when = "without a field being named" if field.is_default else "when named"
    if field.is_of_event:
        when += ", alone or in `event:(…)`"
    return code(field.name), ", ".join(map(code, field.aliases)), compared, when
