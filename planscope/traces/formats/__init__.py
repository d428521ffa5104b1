"""The formats, each in a module with its ``READERS``. The first of the surest readers reads a file."""

MODULES = (
    "own",
    "chat",
    "claude_code",
    "codex",
    "responses",
    "gemini",
    "langchain",
    "otel",
    "tracers",
    "benchmarks",
    "inspect_log",
    "pydantic_ai",
    "mcp",
    "openhands",
    "calls",
)
"""The modules of this package, in the order in which they are asked."""
