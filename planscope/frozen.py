"""The decorator of what does not change once it is made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

_Kind = TypeVar("_Kind")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(kind: type[_Kind]) -> type[_Kind]:
    """Make a dataclass that is frozen and has slots."""
    return dataclass(frozen=True, slots=True)(kind)
