"""`windrow notify test`: a message by every way that is set."""

from __future__ import annotations

import json

from tests.cli.sourcing import Cli
from tests.servers.http import Reply, ScriptedServer
from tests.servers.smtp import SmtpServer


def _configure(cli: Cli, **notify: object) -> None:
    lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in notify.items())
    (cli.folder / "windrow.toml").write_text(
        f'[library]\nname = "Theses"\n[notify]\n{lines}', encoding="utf-8"
    )


def test_a_message_goes_by_every_way(cli: Cli) -> None:
    with SmtpServer() as mail, ScriptedServer(lambda _: Reply(200)) as hook:
        _configure(
            cli,
            mail_to=["ada@library.example"],
            mail_from="windrow@library.example",
            smtp_host="127.0.0.1",
            smtp_port=mail.port,
            tls="none",
            webhook=hook.url,
        )
        result = cli("notify", "test")
    assert (result.code, result.out) == (0, "mail: sent\nwebhook: sent\n")
    assert mail.letters[0].mail["Subject"] == "Theses: a message to see that messages arrive"
    assert json.loads(hook.requests[0].body)["occasion"] == "test"


def test_what_does_not_arrive_is_told_and_is_a_failure(cli: Cli) -> None:
    with ScriptedServer(lambda _: Reply(403), path="/secret-key") as hook:
        _configure(cli, webhook=hook.url)
        result = cli("notify", "test", "--json")
    assert result.code == 1
    assert not result.json["webhook"]["arrived"]
    assert "answered HTTP 403" in result.json["webhook"]["problem"]
    assert "secret-key" not in result.words


def test_where_nobody_is_to_be_told_it_says_how(cli: Cli) -> None:
    result = cli("notify", "test")
    assert result.code == 2
    assert "mail_to" in result.err
