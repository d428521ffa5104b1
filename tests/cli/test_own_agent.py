"""``--agent package.module:factory``: an agent of one's own, that prints what it likes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.support import Cli, Files, session, variant

CHATTY = """
from langchain.agents import create_agent

print("read")

def make(model, tools, middleware):
    print("made")
    return create_agent(model, tools, middleware=middleware).with_listeners(on_end=lambda run: print("ended"))
"""


@pytest.mark.parametrize(
    "command", [["run"], ["run", "--times", "2"], ["dissect", "--budget", "2"]], ids=lambda c: " ".join(c)
)
@pytest.mark.parametrize("form", [["--json"], []], ids=["json", "text"])
def test_what_it_prints_goes_to_standard_error(
    cli: Cli,
    files: Files,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: list[str],
    form: list[str],
) -> None:
    name = "chatty_" + "_".join(command + form).replace("-", "")
    (tmp_path / f"{name}.py").write_text(CHATTY)
    monkeypatch.syspath_prepend(tmp_path)
    path = files.keep(session(variant("A comes before B.", ["a", "b"])))
    first, *rest = command
    done = cli(first, path, "--model", "sim:careful", "--agent", f"{name}:make", *rest, *form)
    assert done.status == 0
    assert {"read", "made", "ended"} <= set(done.err.splitlines())
    if form:
        assert done.json["agent"] == f"{name}:make"
    else:
        assert not {"read", "made", "ended"} & set(done.out.splitlines())
