"""What the calls of models have cost, and when a budget ends them."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from planscope.errors import UserError

MILLION = 1_000_000


class BudgetSpent(UserError):
    """A budget of tokens or money is spent. The message says which, in one line."""


@dataclass
class Spending:
    """Tokens and money. ``tokens`` and ``money``: budgets, None for none. ``price``: of a million tokens in and out,
    None if it is not known. A call that is under way when a budget ends is still counted.

    ``calls``: of models. ``estimated``: tokens that the server did not count; a token is then taken as 4 characters.
    """

    tokens: int | None = None
    money: float | None = None
    price: tuple[float, float] | None = None
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    estimated: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def spent(self) -> float | None:
        """The money spent, in the price's currency; None without a price."""
        if self.price is None:
            return None
        return (self.tokens_in * self.price[0] + self.tokens_out * self.price[1]) / MILLION

    def check(self) -> None:
        """Raise :class:`BudgetSpent` if a budget is spent."""
        used = self.tokens_in + self.tokens_out
        if self.tokens is not None and used >= self.tokens:
            raise BudgetSpent(f"the budget of {self.tokens:,} tokens is spent")
        spent = self.spent
        if self.money is not None and spent is not None and spent >= self.money:
            raise BudgetSpent(f"the budget of {self.money:g} is spent")

    def count(self, usage: tuple[int, int] | None, asked: int, answered: int) -> None:
        """Count one call. ``usage``: tokens in and out as the server says; else by the characters of both."""
        told = usage or (-(-asked // 4), -(-answered // 4))
        with self._lock:
            self.calls += 1
            self.tokens_in += max(told[0], 0)
            self.tokens_out += max(told[1], 0)
            if usage is None:
                self.estimated += sum(told)

    def as_data(self) -> dict[str, object]:
        """Return the figures as the JSON document has them."""
        spent = self.spent
        return {
            "model_calls": self.calls,
            "tokens_in": self.tokens_in,
            "tokens_out": self.tokens_out,
            "tokens_estimated": self.estimated,
            "money": None if spent is None else round(spent, 6),
        }
