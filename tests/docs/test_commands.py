"""Every command that the documentation tells people to type is one that Windrow takes."""

from __future__ import annotations

from itertools import pairwise

import pytest
from typer.testing import CliRunner

from tests.docs.commands import SHELLS, check, lines, unknown_options, windrow_commands
from tests.docs.markdown import Page, guides, page, pages
from windrow.cli.main import app
from windrow.config.source_kinds import every_field

WITH_COMMANDS = [each for each in guides() if any(True for _ in windrow_commands(each))]
FOLLOWED = ("docs/quickstart.md", "docs/tutorial/first-library.md")


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=str)
def test_every_documented_command_parses(page: Page) -> None:
    for arguments in windrow_commands(page):
        try:
            check(arguments)
        except Exception as exc:  # noqa: BLE001 - whatever it is, the page is wrong
            pytest.fail(f"{page}: windrow {' '.join(arguments)}: {exc}")


@pytest.mark.parametrize("page", pages(), ids=str)
def test_every_command_named_in_the_text_exists_with_its_options(page: Page) -> None:
    for text in page.codes:
        if text.startswith("windrow "):
            assert not unknown_options(text.split()[1:]), f"{page} names {text}"


def test_the_pages_with_commands_are_the_ones_expected() -> None:
    found = {str(each) for each in WITH_COMMANDS}
    howtos = {str(each) for each in guides() if str(each).startswith("docs/howto/")} - {"docs/howto/index.md"}
    assert {"README.md", *FOLLOWED, *howtos} <= found


@pytest.mark.parametrize(
    "wrong", [["harvest", "--fulll"], ["source", "add"], ["portal"], ["export", "-f", "cvs"]]
)
def test_a_command_that_windrow_does_not_take_is_noticed(wrong: list[str]) -> None:
    with pytest.raises(Exception, match=r"."):
        check(wrong)
    assert CliRunner().invoke(app, wrong).exit_code == 2


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=str)
def test_every_setting_given_on_a_command_line_exists(page: Page) -> None:
    for arguments in windrow_commands(page):
        for flag, value in pairwise(arguments):
            if flag in ("--set-option", "--unset"):
                assert value.partition("=")[0] in every_field()


@pytest.mark.parametrize("name", FOLLOWED)
def test_in_pages_that_are_followed_every_windrow_command_stands_behind_a_prompt(name: str) -> None:
    for block in page(name).blocks:
        if block.language in SHELLS and block.language != "console":
            assert not any("windrow" in line.split() for line in lines(block))
