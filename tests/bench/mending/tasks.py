"""Thirty tasks with files. A task is done if the folder is then as it must be, whatever the agent says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

Files = Mapping[str, str]


class Task(NamedTuple):
    """A user's request, the folder before it, and the folder that it asks for (folders end with a slash)."""

    request: str
    before: Files
    after: Files


def _with_folders(files: Files) -> dict[str, str]:
    made = dict(files)
    for name in files:
        parts = name.rstrip("/").split("/")
        made.update({"/".join(parts[:k]) + "/": "" for k in range(1, len(parts))})
    return made


def _task(request: str, before: Files, change: Callable[[dict[str, str]], None]) -> Task:
    after = dict(before)
    change(after)
    return Task(request, before, _with_folders(after))


def _move(name: str, folder: str) -> Task:
    def change(files: dict[str, str]) -> None:
        files[f"{folder}/{name}"] = files.pop(name)

    before = {name: f"text of {name}\n", f"{folder}/old.txt": "old\n"}
    return _task(f"Move {name} into {folder}.", before, change)


def _copy(name: str, folder: str, new: str, *, there: bool) -> Task:
    def change(files: dict[str, str]) -> None:
        files[f"{folder}/{new}"] = files[name]

    before = {name: f"text of {name}\n"} | ({f"{folder}/keep.txt": "keep\n"} if there else {})
    return _task(f"Copy {name} to {folder} as {new}.", before, change)


def _replace(name: str, number: int, text: str, lines: int) -> Task:
    def change(files: dict[str, str]) -> None:
        old = files[name].splitlines()
        old[number - 1] = text
        files[name] = "".join(f"{line}\n" for line in old)

    before = {name: "".join(f"line {k}\n" for k in range(1, lines + 1))}
    return _task(f"Replace line {number} of {name} with '{text}'.", before, change)


def _append(name: str, text: str) -> Task:
    def change(files: dict[str, str]) -> None:
        files[name] += f"{text}\n"

    return _task(f"Append '{text}' to {name}.", {name: "first\n"}, change)


def _remove(folder: str, files: int) -> Task:
    inside = {f"{folder}/{k}.txt": f"{k}\n" for k in range(files)}

    def change(now: dict[str, str]) -> None:
        for name in inside:
            del now[name]

    return _task(f"Delete the folder {folder}.", {**inside, "other.txt": "other\n"}, change)


TASKS = (
    _move("report.txt", "archive"), _move("invoice.csv", "accounts"), _move("notes.md", "old"), _move("a.txt", "b"),
    _move("photo.svg", "pictures"), _move("draft.txt", "final"), _move("todo.txt", "done"),
    _copy("plan.txt", "backup", "plan.txt", there=True), _copy("plan.txt", "safe", "plan-2.txt", there=False),
    _copy("data.csv", "copies", "data.csv", there=False), _copy("readme.md", "docs", "index.md", there=False),
    _copy("song.txt", "music", "song.txt", there=True), _copy("menu.txt", "week", "monday.txt", there=False),
    _copy("log.txt", "logs", "today.txt", there=False),
    _replace("list.txt", 2, "bread", 4), _replace("list.txt", 3, "milk", 3), _replace("poem.txt", 1, "Roses", 2),
    _replace("names.csv", 5, "Ada", 5), _replace("steps.md", 2, "Wait", 2), _replace("config.txt", 4, "on", 6),
    _replace("score.txt", 1, "3:2", 1),
    _append("log.txt", "started"), _append("diary.md", "Sunday"), _append("list.txt", "eggs"), _append("a.csv", "1,2"),
    _remove("old", 2), _remove("cache", 1), _remove("drafts", 3), _remove("tmp", 2), _remove("build", 4),
)  # fmt: skip
