"""A server that answers each chat completion after a while, in a process of its own: ``python slow_server.py SECONDS``.

It prints its port. The n-th answer of a conversation calls the n-th tool; after the last it says that it is done.
"""

from __future__ import annotations

import asyncio
import json
import sys


def answer(body: dict[str, object]) -> bytes:
    messages, tools = body["messages"], body.get("tools") or []
    assert isinstance(messages, list) and isinstance(tools, list)
    done = sum(m["role"] == "tool" for m in messages)
    message: dict[str, object] = {"role": "assistant", "content": "Done."}
    if done < len(tools):
        function = {"name": tools[done]["function"]["name"], "arguments": "{}"}
        message["tool_calls"] = [{"id": f"c{done}", "type": "function", "function": function}]
    reply = {
        "id": f"chatcmpl-{done}",
        "object": "chat.completion",
        "created": 1,
        "model": "local",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }
    return json.dumps(reply).encode()


async def serve(seconds: float) -> None:
    async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                lines = head.decode().lower().splitlines()
                size = next(int(x.partition(":")[2]) for x in lines if x.startswith("content-length:"))
                body = json.loads(await reader.readexactly(size))
                await asyncio.sleep(seconds)
                said = answer(body)
                kind = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
                writer.write(kind + str(len(said)).encode() + b"\r\n\r\n" + said)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(connection, "127.0.0.1", 0, backlog=1024)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1])))
