"""The base of all screens and dialogs: closing, dialogs in a row, palette, help, themes."""

from __future__ import annotations

import asyncio
import types
from collections.abc import Callable, Coroutine, Generator, Iterator, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

from textual import on
from textual.await_complete import AwaitComplete
from textual.binding import BindingType
from textual.command import Provider
from textual.screen import Screen
from textual.widget import Widget

from planscope.tui import keys
from planscope.tui.actions import BY_ID, KeyAction, Where
from planscope.tui.closing import forget_lines, to_front
from planscope.tui.keys import ALWAYS_QUITS, KeyChoice, shown_key
from planscope.tui.lean import LeanCompositor
from planscope.tui.messages import TextMarked

if TYPE_CHECKING:
    from planscope.tui.palette import Command
    from planscope.tui.panes.hints import Hint

Result = TypeVar("Result")
Answer = TypeVar("Answer")


class Asker(Protocol):
    """A screen as flows see it: it opens dialogs, waits for their answers, and shows notices."""

    @property
    def app(self) -> Any: ...
    @property
    def choice(self) -> KeyChoice: ...
    def tell(self, notice: str) -> None: ...
    async def answer(self, dialog: Screen[Answer]) -> Answer | None: ...
    def start_flow(self, flow: Coroutine[Any, Any, Any]) -> None: ...


def flow(verb: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Make a verb of an ``async`` function that asks dialogs: it starts, and does not wait for their answers."""

    @wraps(verb)
    def start(screen: Asker, *given: Any) -> None:
        screen.start_flow(verb(screen, *given))

    return start


def in_play(*, keeps: bool = False) -> str:
    """Say that something is not possible in what-if play. ``keeps``: name the key that makes it possible."""
    keep = f"{keys.key_for('keep-play')} keeps the calls as a run, " if keeps else ""
    return f"this is what-if play: {keep}{keys.key_for('deselect')} leaves"


def _commands() -> type[Provider]:
    """Return the palette's provider, which is imported when the palette opens."""
    from planscope.tui.palette import ScreenCommands

    return ScreenCommands


@types.coroutine
def _resumed(flow: Coroutine[Any, Any, Any], waits_for: Any) -> Generator[Any, Any, None]:
    """Continue a coroutine that was started and now waits for ``waits_for``."""
    while True:
        try:
            try:
                value = yield waits_for
            except BaseException as error:  # noqa: BLE001  (the flow gets it, as if it had waited itself)
                waits_for = flow.throw(error)
            else:
                waits_for = flow.send(value)
        except StopIteration:
            return


def keys_for(where: Where, fixed: Mapping[str, str]) -> list[BindingType]:
    """Return the bindings of a screen. Users' own keys come through the application's keymap, by the ids of actions."""
    return [*keys.bindings(where), *keys.bindings("everywhere"), *keys.fixed_keys(fixed)]


class AppScreen(Screen[Result]):
    """The base of screens and dialogs. ``where`` is the screen's name in the table of actions."""

    AUTO_FOCUS: ClassVar[str | None] = None
    COMMANDS: ClassVar[set[Any]] = {_commands}
    where: ClassVar[Where] = "everywhere"

    def __init__(self) -> None:
        super().__init__()
        self._compositor = LeanCompositor()

    def repaint(self, widget: Widget) -> None:
        """Paint what a widget has marked as changed: in one step, for which ``Widget.refresh`` posts two messages."""
        self._dirty_widgets.add(widget)
        self.check_idle()

    def on_unmount(self) -> None:
        forget_lines()

    def modes(self) -> set[str]:
        """Return the modes that the screen is in (``actions.DURING``)."""
        return set()

    def works(self, action: KeyAction) -> bool:
        """Return whether an action does anything now: keys, palette and help have only those that do."""
        return not action.during or action.during in self.modes()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        known = BY_ID.get(str(parameters[0]) if action == "do" else action.replace("_", "-"))
        return known is None or self.works(known)

    @property
    def choice(self) -> KeyChoice:
        """The keys that the user changed, by the ids of actions."""
        found: KeyChoice = getattr(self.app, "choice", {})
        return found

    @property
    def is_left(self) -> bool:
        """Whether the screen was left. Messages for it may still arrive."""
        return self not in self.app.screen_stack

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Close this screen with a result, once. Screens over it close without one."""
        return super().dismiss(result) if to_front(self) else AwaitComplete()

    async def answer(self, dialog: Screen[Answer]) -> Answer | None:
        """Open a dialog and wait for its answer. Call it in a flow (:meth:`start_flow`)."""
        answer: asyncio.Future[Answer | None] = asyncio.get_running_loop().create_future()

        def done(given: Answer | None) -> None:
            if not answer.done():
                answer.set_result(given)

        self.app.push_screen(dialog, done)
        return await answer

    def start_flow(self, flow: Coroutine[Any, Any, Any]) -> None:
        """Run an ``async`` function that asks dialogs in a row. The first dialog is open when this returns.

        So keys typed ahead reach the dialog; a task would open it too late for them.
        """
        try:
            first = flow.send(None)
        except StopIteration:
            return
        self.run_worker(_resumed(flow, first))

    def tell(self, notice: str) -> None:
        """Show a notice in the lowest line, or above it."""
        raise NotImplementedError

    def named_keys(self) -> Sequence[Hint]:
        """Return the keys that the footer names now."""
        return ()

    def palette_entries(self) -> Iterator[Command]:
        """Yield the entries of the command palette on this screen."""
        from planscope.tui.palette import actions_of

        yield from actions_of(self)

    @on(TextMarked)
    def _text_marked(self, message: TextMarked) -> None:
        self.selections = {message.widget: message.selection}

    def action_copy_text(self) -> None:
        """Handle Ctrl+C: copy the selected text, or say how to quit if none is selected."""
        if self.get_selected_text() is None:
            self.tell_how_to_quit()
        else:
            super().action_copy_text()

    def tell_how_to_quit(self) -> None:
        self.tell(f"Ctrl+c copies selected text; {shown_key(ALWAYS_QUITS)} quits")

    def action_help(self) -> None:
        asked: Any = self.app
        asked.show_help(self)

    def action_palette(self) -> None:
        self.app.action_command_palette()

    def action_quit(self) -> None:
        self.app.exit(0)

    def action_choose_theme(self) -> None:
        asked: Any = self.app
        asked.choose_theme()
