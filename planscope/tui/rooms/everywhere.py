"""What every room can do: help, palette, themes, quit; and the keys that belong to a room."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

from textual.binding import Binding, BindingType
from textual.command import Provider

from planscope.tui.actions import Where
from planscope.tui.keymap import KeyChoice, bindings
from planscope.tui.left_once import LeftOnce
from planscope.tui.lines import Run, shown
from planscope.tui.messages import ThemeChosen
from planscope.tui.paint import Paint
from planscope.tui.themes import DEFAULT


def _commands() -> type[Provider]:
    """The palette's provider; only the palette needs it."""
    from planscope.tui.palette import RoomCommands

    return RoomCommands


class Everywhere(LeftOnce[Any]):
    """The base of all rooms. ``where`` is the room's name in the table of actions, ``choice`` the user's keys."""

    AUTO_FOCUS = None
    COMMANDS = {_commands}  # noqa: RUF012  (Textual's own way to say it)
    where: ClassVar[Where] = "everywhere"
    choice: ClassVar[KeyChoice] = {}

    def __init__(self, paint: Paint) -> None:
        super().__init__()
        self.paint = paint

    def tell(self, notice: str) -> None:
        """Say something beside the keys."""
        raise NotImplementedError

    def action_help(self) -> None:
        from planscope.tui.dialogs.choose import TextDialog
        from planscope.tui.dialogs.help import help_lines

        self.app.push_screen(
            TextDialog(self.paint, "Keys", lambda width: help_lines(self.choice, width, self.where))
        )

    def action_palette(self) -> None:
        self.app.action_command_palette()

    def action_quit(self) -> None:
        self.app.exit(0)

    def action_choose_theme(self) -> None:
        from planscope.tui.dialogs.choose import ChooseDialog

        names = self.theme_names()
        before = self.app.theme
        lines = [(Run(shown(name, 60)),) for name in names]

        def look(number: int) -> None:
            self.app.theme = names[number]

        def done(number: int | None) -> None:
            if number is None:
                self.app.theme = before
            else:
                self.post_message(ThemeChosen(names[number]))

        at = names.index(before) if before in names else 0
        self.app.push_screen(ChooseDialog(self.paint, "Theme", lines, at, look), done)

    def theme_names(self) -> list[str]:
        """The themes that there are to choose from: ours and the user's own."""
        themes = self.app.available_themes
        return sorted(
            (name for name, theme in themes.items() if "planscope-core" in theme.variables),
            key=lambda name: (name != DEFAULT, name),
        )


AnyRoom = TypeVar("AnyRoom", bound=Everywhere)


def with_keys(
    room: type[AnyRoom], choice: KeyChoice, more: tuple[tuple[str, str, str], ...] = ()
) -> type[AnyRoom]:
    """A room with a user's keys. Bindings belong to a class, hence one is made.

    ``more`` are keys that cannot be changed, each with its action and a word about it.
    """
    keys: list[BindingType] = [*bindings(room.where, choice), *bindings("everywhere", choice)]
    keys += [Binding(key, action, title, show=False) for key, action, title in more]
    made: Any = type(
        room.__name__, (room,), {"BINDINGS": keys, "choice": choice, "__module__": room.__module__}
    )
    return made  # type: ignore[no-any-return]  # what type() makes has no type of its own
