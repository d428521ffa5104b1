"""What must be light is light: LangChain and Z3 come when a run does."""

from __future__ import annotations

import subprocess
import sys

import pytest

import planscope
from planscope import agents

HEAVY = ("langchain", "langchain_core", "langgraph", "langsmith", "openai", "langchain_openai", "z3", "lark")

LIGHT = [
    "import planscope; assert 'record' in dir(planscope)",
    "import planscope.agents",
    "import planscope.agents.runner",
    "import planscope.toolfuzz.models",
    "import planscope.agents.toolset, planscope.agents.failures",
    "import planscope.agents.simulated.mind",
    "from planscope.agents.models import *; check_model(parse_model('sim:careful'))",
    "import os; os.environ['OPENAI_API_KEY'] = 'x'\n"
    "from planscope.agents.models import *; check_model(parse_model('openai:x'))",
]


def test_they_import_nothing_heavy() -> None:
    """One after another in one process: what one of them imports is there after it."""
    checks = [f"{code}\nprint([m for m in {HEAVY!r} if m in sys.modules])" for code in LIGHT]
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(["import sys", *checks])], capture_output=True, text=True, check=True
    )
    assert dict(zip(LIGHT, done.stdout.splitlines(), strict=True)) == dict.fromkeys(LIGHT, "[]")


def test_simulated_models_decide_without_langchain_and_z3() -> None:
    code = """
from planscope.agents.simulated.mind import decide
from planscope.agents.simulated.knowledge import View
from planscope.agents.simulated.profiles import PROFILES, make_character
from planscope.agents.toolset import make_toolset
from planscope.session.model import ActionRecord
import sys
tools = make_toolset([ActionRecord(id="a1", name="alpha", tool="alpha", duration=2)], timed=True)
view = View("Here is the requirement: Alpha happens before 15:00.", tuple(t.spec for t in tools))
for profile in PROFILES:
    decide(view, make_character(profile, {}))
print([m for m in ("langchain_core", "langchain", "z3") if m in sys.modules])
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_the_two_middlewares_are_found_at_the_top() -> None:
    assert (planscope.guard, planscope.record) == (agents.guard, agents.record)
    with pytest.raises(AttributeError, match="module 'planscope' has no attribute 'nothing'"):
        planscope.nothing  # noqa: B018


def test_importing_planscope_brings_no_other_part_of_it() -> None:
    code = "import planscope, sys; print([m for m in sys.modules if m.startswith('planscope.')])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
