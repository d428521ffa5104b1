"""The commands for users' own agents, tried on the shop's agent that ships with planscope."""

from __future__ import annotations

import io
import json
import logging
import sys
from pathlib import Path

import pytest

from planscope.agents.shop import main
from planscope.commands.own import log_beside_the_screen
from planscope.session.model import AnswerEvent, CallEvent
from planscope.session.store import load

from .support import Cli

SHOP = "planscope.agents.shop:agent"


def tools_of(file: Path) -> list[str]:
    """The tools that the last run called."""
    return [e.tool for e in load(file).runs[-1].events if isinstance(e, CallEvent)]


def test_rerun_with_another_prompt(cli: Cli, tmp_path: Path) -> None:
    """The shop's agent again, with another system prompt; what it then does is judged."""
    file, prompt = tmp_path / "shop.planscope.json", tmp_path / "prompt.txt"
    main(str(file))
    prompt.write_text("You refund orders. Read the policy first.")
    words = ("rerun", str(file), "--run", "1", "--agent", "planscope.agents.shop:agent")
    same = cli(*words, "--json")
    assert same.status == 0 and json.loads(same.out)["run"] == "r2"
    stopped = cli(*words, "--prompt", str(prompt))
    assert stopped.status == 2 and "rerun stopped" in " ".join(stopped.out.split())
    loose = cli(*words, "--prompt", str(prompt), "--loose")
    assert loose.status == 0
    session = load(file)
    assert tools_of(file) == ["get_order", "check_policy", "refund_order"]
    assert cli(*words, "--model", "sim:careful").status == 0
    assert load(file).runs[-1].model == "sim:careful"
    assert session.runs[-1].forked_from is not None and session.runs[-1].forked_from.run == "r1"
    refused = cli(
        "rerun", "first-look", "--agent", "planscope.agents.shop:agent", "-o", str(tmp_path / "x.json")
    )
    assert refused.status == 2 and "mock tools" in refused.err


def test_fork_of_an_own_agent(cli: Cli, tmp_path: Path) -> None:
    """It goes on from the recorded messages with its own tools, and says what is not captured."""
    file = tmp_path / "shop.planscope.json"
    main(str(file))
    words = ("fork", str(file), "--run", "1", "--step", "1", "--answer", "Error: no such order")
    refused = cli(*words)
    assert refused.status == 2 and "--agent package.module:agent" in refused.err
    done = cli(*words, "--agent", SHOP)
    assert done.status == 0, done.err
    assert "not captured: files, clock" in done.out
    run = load(file).runs[-1]
    assert tools_of(file) == ["get_order", "refund_order", "check_policy"]
    answers = [e.text for e in run.events if isinstance(e, AnswerEvent)]
    assert answers == [
        "Error: no such order",
        "40 EUR paid back for order 7",
        "Refunds within 14 days of delivery.",
    ]
    assert any("not captured" in getattr(e, "text", "") for e in run.events)


def test_logs_of_the_agent_do_not_write_over_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A handler that holds standard error writes to what takes its place."""
    handler = logging.StreamHandler(sys.__stderr__)
    logger = logging.getLogger("users_agent")
    logger.addHandler(handler)
    try:
        log_beside_the_screen()
        aside = io.StringIO()
        monkeypatch.setattr(sys, "stderr", aside)
        logger.warning("a line")
    finally:
        logger.removeHandler(handler)
    assert aside.getvalue() == "a line\n"
