"""The command that a key amounts to: it can be typed as it is shown, whatever the names in it are."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planscope.cli import build_parser
from planscope.session.locations import bundled
from planscope.tui import shell
from planscope.tui.controllers.live_run import RunChoice
from tests.hostile import SAVEABLE
from tests.tui.screen import opened
from tests.tui.test_clipboard import controls, sent

ACTIONS = ("first-violation", "explain", "look", "choose-run", "share", "library", "campaigns")


def commands(at: shell.Here, choice: RunChoice) -> list[str]:
    made = [shell.action_command(action, at) for action in ACTIONS]
    made += [shell.place_command(at), shell.compare_command(at, "r1"), shell.run_command(at, choice)]
    made += [shell.fork_command(at, choice, at.run, 2, "closed"), shell.edit_command(at)]
    return [*made, shell.dissect_command(at, choice.model, choice.agent)]


def test_every_command_is_one_of_planscope() -> None:
    at = shell.Here(bundled()["first-look"], "v1", "r2", "3")
    parser = build_parser()
    for text in commands(at, RunChoice(seed=3, guard=True, stepping=True, role="You plan.")):
        for part in text.split("; "):
            name, *words = shlex.split(part.rpartition(" | ")[2])
            assert name == "planscope"
            parser.parse_args(words)
    assert shell.action_command("explain", at) == (
        "planscope reasons first-look --run r2; planscope repair first-look --run r2"
    )
    assert shell.place_command(at) == "planscope open first-look --run r2 --step 3"


@given(st.sampled_from(SAVEABLE), st.sampled_from(SAVEABLE))
def test_a_shell_reads_hostile_names_as_one_word(run: str, model: str) -> None:
    at = shell.Here(Path("/tmp/a b;c.planscope.json"), "v1", run, "1")
    for text in commands(at, RunChoice(model=model)):
        assert "\n" not in text.replace("\\nlook", "") and not controls(text)
        words = shlex.split(text.replace("; planscope", " planscope"))
        assert words[0] in ("planscope", "printf")
    words = shlex.split(shell.place_command(at))
    assert len(words) == (7 if run else 3) and words[2] == "/tmp/a b;c.planscope.json"


async def test_the_line_is_shown_follows_the_keys_and_is_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(bundled()["first-look"], (80, 24)) as driven:
        taken = sent(driven, monkeypatch)
        await driven.press(":")
        assert " = planscope open first-look --run r2 --step 2" in driven.text.splitlines()[-2]
        await driven.press("n")
        assert "--step 3" in driven.text.splitlines()[-2]
        await driven.press("x", "escape", "Y")
        said = " ".join(driven.text.split())
        assert "clipboard: planscope reasons first-look --run r2; planscope repair first-look" in said
        assert taken == ["planscope reasons first-look --run r2; planscope repair first-look --run r2"]
        await driven.press("B")
        assert "clipboard" not in driven.text, "a notice does not stay under a dialog"
        await driven.press("escape", ":")
        assert " = planscope" not in driven.text
        await driven.press("N", "Y")
        assert taken[-1] == "planscope open first-look --run r2 --step 2"
        await driven.press("f", "Y")
        assert taken[-1] == "planscope check first-look --run r2"
