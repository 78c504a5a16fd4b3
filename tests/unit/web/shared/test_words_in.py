"""Templates have the words of their language in them already, and say the same as if they had not."""

from __future__ import annotations

import pytest
from jinja2 import nodes

from windrow.web.i18n.translation import PAGE_LANGUAGES, get_translator
from windrow.web.layout.page_layout import template_environment


def said(template: str, code: str = "sv", **values: object) -> str:
    return template_environment(code).from_string(template).render(_=get_translator(code).say, **values)


@pytest.mark.parametrize("code", PAGE_LANGUAGES)
def test_each_language_has_its_own_words(code: str) -> None:
    assert said('<p title="{{ _("Search") }}">', code) == f'<p title="{get_translator(code).say("Search")}">'


def test_a_message_that_never_changes_is_not_looked_up_again() -> None:
    template = template_environment("sv").from_string(
        '{{ _("Search") }}{% for each in (_("Browse"),) %}{{ each }}{% endfor %}'
    )
    assert template.render() == "".join(map(get_translator("sv").say, ("Search", "Browse")))


def test_a_message_with_values_is_said_for_each_page() -> None:
    template = '{{ _("Search in {title}", title=title) }}'
    assert said(template, title="A") == get_translator("sv").say("Search in {title}", title="A")
    assert said(template, title="B") == get_translator("sv").say("Search in {title}", title="B")


def test_a_message_that_is_known_only_to_the_page_is_said_then() -> None:
    assert said("{{ _(word) }}", word="Search") == get_translator("sv").say("Search")


def test_words_are_escaped_like_everything_else() -> None:
    assert said("""{{ _("<b> & 'c'") }}""") == "&lt;b&gt; &amp; &#39;c&#39;"


def test_whoever_reads_a_template_finds_the_message_as_it_was_written() -> None:
    call = template_environment("sv").parse('{{ _("Search") }}').find(nodes.Call)
    assert call is not None
    assert call.args == [nodes.Const("Search")]
