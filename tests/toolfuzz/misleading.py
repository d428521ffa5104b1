"""Tools whose documentation misleads, each beside the same tool with documentation that does not."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date as Date
from typing import Any, Literal

Speed = Literal["express", "standard", "economy"]


def roster(date: str) -> str:
    """Tell which team is on duty on a day. date: the day, such as 2025-01-31."""
    return f"team {Date.fromisoformat(date).toordinal() % 97}"


def parcel(weight: float) -> dict[str, float]:
    """Tell what a parcel costs. weight: how heavy it is."""
    return {"price": 4 + 2 * weight}


def ship(speed: Speed) -> str:
    """Tell when a parcel arrives. speed: how it is sent."""
    return {"express": "tomorrow", "standard": "in three days", "economy": "next week"}[speed]


def vat(rate: float) -> str:
    """Tell what 100 cost with VAT. rate: the rate of the tax."""
    if not 0 <= rate <= 1:
        raise ValueError(f"{rate} is no rate")
    return f"{100 + 100 * rate:g}"


def roster_said(date: str) -> str:
    """Tell which team is on duty on a day. date: as 2025-01-31. Users write the month first: 04/03 is 3 April."""
    return roster(date)


def parcel_said(weight: float) -> dict[str, float]:
    """Tell what a parcel costs. weight: in kilograms; 500 g is 0.5."""
    return parcel(weight)


def ship_said(speed: Speed) -> str:
    """Tell when a parcel arrives. speed: express (also fast, quick, urgent), standard, or economy (also cheap)."""
    return ship(speed)


def odd(date: str) -> str:
    """Tell which team is on duty on a day. date: the day, such as 2025-01-31."""
    return f"{roster(date)} \ud800"


def misleading_tools() -> list[Callable[..., Any]]:
    return [roster, parcel, ship]


def tools() -> list[Callable[..., Any]]:
    return [roster, parcel, ship, roster_said, parcel_said, ship_said]
