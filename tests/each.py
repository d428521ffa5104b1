"""Many cases as one test: collecting and reporting each of thousands took longer than trying them."""

from __future__ import annotations

import inspect
import reprlib
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import pytest

from tests.nightly import nightly


def each(
    names: str, values: Iterable[Any], every: int = 1
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Like ``parametrize``, in a loop that ends at the first case that fails and names it.

    A ``tmp_path`` is a new folder for each case; the other fixtures are made once. Where ``every`` is 5, the suite
    tries every fifth case, and the nightly run all.
    """
    split = [name.strip() for name in names.split(",")]
    cases = [value if len(split) > 1 else (value,) for value in values]
    assert cases

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def loop(**fixtures: Any) -> None:
            for number, values in list(enumerate(cases))[:: fixtures.pop("every", 1)]:
                case = dict(zip(split, values, strict=True))
                if "tmp_path" in fixtures:
                    case["tmp_path"] = fixtures["tmp_path"] / f"case-{number}"
                    case["tmp_path"].mkdir()
                try:
                    test(**{**fixtures, **case})
                except BaseException as error:
                    error.add_note(f"case {number}: {', '.join(split)} = {reprlib.repr(values)}")
                    raise

        signature = inspect.signature(test)
        wanted = [value for name, value in signature.parameters.items() if name not in split]
        if every > 1:
            wanted.append(inspect.Parameter("every", inspect.Parameter.KEYWORD_ONLY))
        loop.__signature__ = signature.replace(parameters=wanted)
        return pytest.mark.parametrize("every", [every, *nightly(1)])(loop) if every > 1 else loop

    return decorate
