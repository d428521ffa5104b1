"""Choosing one of the user's campaigns."""

from __future__ import annotations

from planscope.tui.app_screen import Asker
from planscope.tui.dialogs.ask import ChooseDialog
from planscope.tui.style.lines import shown

_BEGIN = "you have no campaign yet: begin one with planscope campaign run NAME --model MODEL"


async def chosen_campaign(screen: Asker, here: str = "") -> str | None:
    """Ask which campaign to show, ``here`` first; the only one is chosen at once. Return its name, or None.

    For a flow.
    """
    from planscope.campaign.store import campaign_names

    names = campaign_names()
    if not names:
        screen.tell(_BEGIN)
        return None
    if len(names) == 1:
        return names[0]
    lines = [shown(name, 60) for name in names]
    at = names.index(here) if here in names else 0
    number = await screen.answer(ChooseDialog("Campaigns", lines, at))
    return None if number is None else names[number]
