"""The pytest plugin: a fixture and a marker ``plan_rules``. Imports nothing of planscope before a test asks for it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from planscope.doors.plan_rules import PlanRules

MARKER = "plan_rules(rules, strict=False, allow_unknown=False): the rules of the fixture plan_rules, a file or a text"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARKER)


@pytest.fixture(name="plan_rules")
def _plan_rules(request: pytest.FixtureRequest) -> _FixtureRules:
    """Judge runs by rules: ``plan_rules("rules.txt").check(messages)``, or ``plan_rules.check(messages)`` with the
    marker ``@pytest.mark.plan_rules("rules.txt")``. A relative path begins at the test's folder, or else where pytest
    was started."""
    return _FixtureRules(request)


class _FixtureRules:
    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._folder = request.path.parent
        self._marker = request.node.get_closest_marker("plan_rules")

    def __call__(self, rules: Any, *, strict: bool = False, allow_unknown: bool = False) -> PlanRules:
        from planscope.doors.plan_rules import PlanRules

        return PlanRules(self._beside(rules), strict=strict, allow_unknown=allow_unknown)

    def check(self, source: Any, *, run: str | None = None) -> None:
        """Judge by the marker's rules. Raises AssertionError unless every run is right."""
        __tracebackhide__ = True
        if self._marker is None:
            pytest.fail(
                'no rules: write plan_rules("rules.txt").check(...), or mark the test with '
                '@pytest.mark.plan_rules("rules.txt")',
                pytrace=False,
            )
        self(*self._marker.args, **self._marker.kwargs).check(source, run=run)

    def _beside(self, rules: Any) -> Any:
        """Return a path that is beside the test, or else what was given."""
        if (isinstance(rules, str) and "\n" in rules) or not isinstance(rules, str | os.PathLike):
            return rules
        try:
            beside = self._folder / Path(rules)
            return beside if beside.is_file() else rules
        except (OSError, ValueError):  # a text that is too long for a name
            return rules
