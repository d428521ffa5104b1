"""MCP servers to fuzz: ``python -m tests.toolfuzz.mcp_servers sound``, or with the names of planted bugs."""

from __future__ import annotations

import sys
import traceback
from typing import Any, Literal

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations

NOTES: dict[str, str] = {}


def sound(server: MCPServer[Any]) -> None:
    @server.tool()
    def convert(amount: float, unit: Literal["km", "mile"] = "km", note: str | None = None) -> dict[str, Any]:
        """Convert a distance."""
        sys.stderr.write("working\n")
        return {"amount": amount * (1.6 if unit == "mile" else 0.6), "note": note}

    @server.tool()
    def words(text: str, most: int = 10) -> list[str]:
        """Split a text into words. Words such as Traceback are words, too."""
        return text.split()[: max(most, 0)]


def broken(server: MCPServer[Any]) -> None:
    @server.tool()
    def shows(key: str) -> str:
        """Look a key up."""
        try:
            return {"a": "1"}[key]
        except KeyError:
            return f"it failed\n{traceback.format_exc()}"

    @server.tool()
    def tells(key: str) -> str:
        """Look a key up."""
        if key != "a":
            raise ToolError(f"there is no {key!r}")
        return "1"


def pairs(server: MCPServer[Any]) -> None:
    changes, reads = ToolAnnotations(destructive_hint=True), ToolAnnotations(read_only_hint=True)

    @server.tool(annotations=changes)
    def note_upsert(name: str, text: str) -> str:
        """Write a note."""
        if len(text) < 8:
            NOTES[name] = text
        return "written"

    @server.tool(annotations=reads)
    def note_now(name: str) -> dict[str, Any]:
        """Show a note."""
        return {"text": NOTES[name]} if name in NOTES else {"error": f"there is no note {name}"}

    @server.tool(annotations=ToolAnnotations(destructive_hint=True, idempotent_hint=True))
    def note_purge(name: str) -> str:
        """Drop a note."""
        NOTES.pop(name, None)
        return "dropped"


if __name__ == "__main__":
    made: MCPServer[Any] = MCPServer("tests", log_level="CRITICAL")
    for name in sys.argv[1:]:
        {"sound": sound, "broken": broken, "pairs": pairs}[name](made)
    made.run()
