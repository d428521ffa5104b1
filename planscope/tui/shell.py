"""Writes the shell command that does the same as a key, without the screen."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from planscope.frozen import frozen
from planscope.safe import without_controls
from planscope.session.locations import is_bundled, library_folder, name_of

if TYPE_CHECKING:
    from planscope.tui.controllers.live_run import RunChoice


@frozen
class Here:
    """What a command is about: the session's file, the ids of query and run, and the step."""

    path: Path | None
    variant: str = ""
    run: str = ""
    step: str = ""

    @property
    def session(self) -> str:
        """The session's name if it is bundled or in the library, or else its path, as commands take it."""
        if self.path is None:
            return "SESSION"
        if is_bundled(self.path) or self.path.parent == library_folder():
            return name_of(self.path)
        return str(self.path)


def command(*words: str) -> str:
    """Join words to a command that a shell reads as they are. It has no control character and no line break."""
    return shlex.join(["planscope", *(without_controls(word).replace("\n", " ") for word in words)])


def place_command(at: Here) -> str:
    """Return the command that opens the debugger at this step of this run."""
    return command("open", at.session, *_of_run(at), *(["--step", at.step] if at.run and at.step else []))


def action_command(action: str, at: Here) -> str:
    """Return the command of an action of the debug screen, by its id; "" if there is none."""
    match action:
        case "first-violation":
            return command("check", at.session, *_of_run(at)) if at.run else ""
        case "explain":
            of = (at.session, *_of_run(at))
            return f"{command('reasons', *of)}; {command('repair', *of)}" if at.run else ""
        case "look":
            walk = command("walk", at.session, *_of_run(at))
            return rf"printf 'J {at.step}\nlook\n' | {walk}" if at.run else ""
        case "choose-run":
            return command("runs", at.session)
        case "share":
            return command("export", at.session, *_of_run(at))
        case "library":
            return command("sessions", "list")
        case "campaigns":
            return command("campaign", "list")
    return ""


def compare_command(at: Here, other: str) -> str:
    """Return the command that compares with another run or query."""
    return command("compare", at.session, other, at.run or at.variant)


def run_command(at: Here, choice: RunChoice) -> str:
    """Return the command that runs the query with these options, or the user's own agent."""
    if choice.attached is not None:
        return command("attach", choice.attached.id, *["--stepping"] * choice.stepping)
    if choice.own is not None:
        own = choice.own
        more = ["-o", str(at.path)] if at.path is not None else []
        more += ["--stepping"] * choice.stepping + ["--dry"] * own.dry
        return command("debug", choice.agent, own.message, *more)
    words = ["--model", choice.model, "--agent", choice.agent, "--variant", at.variant]
    words += ["--seed", str(choice.seed)] if choice.seed is not None else []
    words += ["--base-url", choice.base_url] if choice.base_url else []
    words += ["--role", choice.role] if choice.role else []
    words += ["--guard"] * choice.guard + ["--live", "--stepping"] * choice.stepping
    return command("run", at.session, *words)


def fork_command(at: Here, choice: RunChoice, run: str, step: int, answer: str | None) -> str:
    """Continue a run from a step, with these options."""
    if choice.own is not None:
        more = ["--answer", answer] if answer is not None else []
        return command("fork", at.session, "--run", run, "--step", str(step), *more, "--agent", choice.agent)
    words = ["--run", run, "--step", str(step), "--model", choice.model, "--agent", choice.agent]
    words += ["--answer", answer] if answer is not None else []
    return command("fork", at.session, *words, "--variant", at.variant, *["--guard"] * choice.guard)


def edit_command(at: Here) -> str:
    """Add a query with the edited text, typed or from a file, below this one."""
    return command("edit", at.session, "--variant", at.variant, "--text", "-")


def dissect_command(at: Here, model: str, agent: str) -> str:
    """Return the command that finds what in the query makes the agent fail."""
    return command("dissect", at.session, "--model", model, "--agent", agent, "--variant", at.variant)


def _of_run(at: Here) -> list[str]:
    return ["--run", at.run] if at.run else []
