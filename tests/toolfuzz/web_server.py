"""A small MCP server at an address: streamable HTTP at /mcp, a stream of events at /sse. It prints its port.

``ends``: a long code ends it. ``slow``: each code takes more than a second.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

CODE = {"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]}
TOOLS = [
    {"name": "get_part", "inputSchema": CODE, "annotations": {"readOnlyHint": True}},
    {"name": "put_part", "inputSchema": CODE},
]
STREAMS: dict[str, queue.Queue[bytes]] = {}


def answer(message: dict[str, Any]) -> dict[str, Any] | None:
    """Return what the server answers."""
    if "id" not in message:
        return None
    result: dict[str, Any] = {}
    if message["method"] == "initialize":
        result = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "serverInfo": {"name": "x", "version": "1"},
        }
    elif message["method"] == "tools/list":
        result = {"tools": TOOLS}
    elif message["method"] == "tools/call":
        code = message["params"]["arguments"].get("code")
        if "ends" in sys.argv and len(str(code)) > 100:
            os._exit(1)
        if "slow" in sys.argv:
            time.sleep(1.2)
        if not isinstance(code, str):
            return {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32602, "message": "no code"}}
        text = 'Traceback (most recent call last):\n  File "a.py", line 3' if "%" in code else f"part {code}"
        result = {"content": [{"type": "text", "text": text}]}
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}


class Handler(BaseHTTPRequestHandler):
    """Answers requests."""

    def do_GET(self) -> None:
        if self.path != "/sse":
            self.send_error(405)
            return
        name = str(len(STREAMS))
        STREAMS[name] = queue.Queue()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write(f"event: endpoint\ndata: /messages?s={name}\n\n".encode())
        while True:
            self.wfile.write(b"event: message\ndata: " + STREAMS[name].get() + b"\n\n")
            self.wfile.flush()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/sse":
            self.send_error(405)
            return
        made = answer(json.loads(body))
        told = json.dumps(made).encode() if made is not None else b""
        if self.path.startswith("/messages"):
            STREAMS[self.path.rpartition("=")[2]].put(told) if told else None
            told = b""
        self.send_response(200 if told else 202)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    def log_message(self, *_: object) -> None:
        """Be quiet."""


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    sys.stdout.write(f"{server.server_port}\n")
    sys.stdout.flush()
    server.serve_forever()
