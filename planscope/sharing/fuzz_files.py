"""What a run of the fuzzer found as files: one page, JUnit and SARIF."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from planscope.ci import MOST_RESULTS, JUnitFile, sarif_log, sarif_note, sarif_result, write_sarif
from planscope.documents.fuzz import FuzzDocument
from planscope.session.model import FuzzFinding
from planscope.show.page import page
from planscope.show.text import lines
from planscope.toolfuzz.formats import MEANINGS, smallest_lines, title
from planscope.toolfuzz.outcome import KINDS, LISTED_ONLY
from planscope.toolfuzz.report import is_counted
from planscope.views.fuzz import fuzz_blocks, how_far, never_entered
from planscope.views.prompt_sets import set_blocks


def fuzz_page(found: FuzzDocument) -> str:
    """Return one page that loads nothing."""
    return page(f"Fuzzing {found.target}", fuzz_blocks(found, whole=True))


def write_fuzz_junit(found: FuzzDocument, path: Path) -> None:
    """Write a test for each tool without errors and for each finding, with how far the search got into the tool."""
    file, said = JUnitFile("fuzz"), {tool.tool: how_far(tool) for tool in found.tools}
    try:
        for tool in found.tools:
            if tool.skipped:
                file.add(found.target, tool.tool, "skipped", tool.skipped)
            elif never_entered(tool):
                file.add(
                    found.target, tool.tool, "skipped", f"never entered: {tool.refusal}", said=said[tool.tool]
                )
            elif not tool.statistics.unique_errors:
                file.add(found.target, tool.tool, said=said[tool.tool])
        for k, one in enumerate(found.findings, 1):
            tag = "failure" if is_counted(one) else None
            name = f"{one.tool} {k}: {title(one)[:120]}"
            file.add(
                found.target, name, tag, title(one), "\n".join(_body(one, found)), said.get(one.tool, "")
            )
        file.write(path)
    finally:
        file.close()


def _body(one: FuzzFinding, found: FuzzDocument) -> Iterator[str]:
    if one.set:
        return lines(set_blocks(found.sets[one.set - 1], one.set), 100)
    return iter(("arguments:", *smallest_lines(one), "", one.traceback))


def write_fuzz_sarif(found: FuzzDocument, path: Path) -> None:
    """Write a result for each finding, at its line."""
    rules = [(kind, kind, MEANINGS[kind], "note" if kind in LISTED_ONLY else "error") for kind in KINDS]
    results = []
    for one in found.findings[:MOST_RESULTS]:
        file, _, line = str(one.location or "").rpartition(":")
        results.append(
            sarif_result(
                (one.kind, KINDS.index(one.kind)),
                f"{one.tool}: {title(one)}. Arguments: {'; '.join(smallest_lines(one))[:500]}",
                (file or found.target, int(line) if line.isdigit() else 1),
                (one.tool, f"{found.target}, {one.tool}"),
                f"{one.tool}/{one.kind}/{one.exception}/{one.location}",
                "error" if is_counted(one) else "note",
            )
        )
    notes = []
    for tool in found.tools:
        level = "warning" if never_entered(tool) else "note"
        notes.append(sarif_note(f"{tool.tool}: {how_far(tool)}", found.target, level))
    log = sarif_log(rules, results, max(0, len(found.findings) - MOST_RESULTS), notes)
    write_sarif(path, log)
