"""The names by which a text may speak of actions: their own, and those of their tools."""

from __future__ import annotations

from collections.abc import Iterable

from planscope.errors import UserError
from planscope.language.pieces import Phrases, phrase_key
from planscope.language.problem import Action
from planscope.language.vocabulary import vocabulary


class ActionNameError(UserError, ValueError):
    """An action's name is empty, or two names are the same but for case and white space."""


class Names:
    """All names of some actions. ``phrases`` find names and tools in running text, ``quoted`` in backquotes."""

    def __init__(self, actions: Iterable[Action]) -> None:
        self.actions = tuple(actions)
        self.phrases: Phrases[str] = Phrases()
        self.quoted: Phrases[str] = Phrases()
        self.longest = 1
        """The number of pieces of the longest name."""
        for action in self.actions:
            key = phrase_key(action.name)
            self.longest = max(self.longest, len(key))
            if not key:
                raise ActionNameError(f"action {action.id} has an empty name")
            if (other := self.phrases.add(key, action.id)) != action.id:
                raise ActionNameError(f"actions {other} and {action.id} have the same name, {action.name!r}")
            self.quoted.add(key, action.id)
        for action in self.actions:
            self.quoted.add(phrase_key(action.tool), action.id)
            if not vocabulary().has(tool := phrase_key(action.tool)):
                self.phrases.add(tool, action.id)
        self.dotted = any("." in action.name for action in self.actions)
        """Whether a name has a period in it, so that a period need not end a sentence."""
        self.dot_ends_word = any("." in word[-1:] for a in self.actions for word in a.name.split())
        """Whether a period with white space behind it need not end a sentence either ("Dr. Li's talk")."""
