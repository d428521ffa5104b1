"""What the user can select. :mod:`~planscope.debugger.linked` computes what is highlighted with it."""

from __future__ import annotations

from dataclasses import dataclass

from planscope.language.problem import NodePath, Span


@dataclass(frozen=True, slots=True)
class SelectedWords:
    """A half-open range of the query's code points. An empty range means the place before that code point."""

    span: Span


@dataclass(frozen=True, slots=True)
class SelectedNode:
    """A node of the syntax tree."""

    path: NodePath


@dataclass(frozen=True, slots=True)
class SelectedConstraint:
    """A constraint or a rule."""

    id: str


@dataclass(frozen=True, slots=True)
class SelectedAction:
    """An action of the query, by its id."""

    id: str


@dataclass(frozen=True, slots=True)
class SelectedStep:
    """A step of the run, by its index."""

    index: int


Selection = SelectedWords | SelectedNode | SelectedConstraint | SelectedAction | SelectedStep
