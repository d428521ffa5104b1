"""What the user can select. :mod:`~planscope.debugger.linked` computes what is highlighted with it."""

from __future__ import annotations

from planscope.frozen import frozen
from planscope.language.problem import NodePath, Span


@frozen
class SelectedWords:
    """A half-open range of the query's code points. An empty range means the place before that code point."""

    span: Span


@frozen
class SelectedNode:
    """A node of the syntax tree."""

    path: NodePath


@frozen
class SelectedConstraint:
    """A constraint or a rule."""

    id: str


@frozen
class SelectedAction:
    """An action of the query, by its id."""

    id: str


@frozen
class SelectedStep:
    """A step of the run, by its index."""

    index: int


Selection = SelectedWords | SelectedNode | SelectedConstraint | SelectedAction | SelectedStep
