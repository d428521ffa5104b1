"""The desk of a shop, for the programs beside: two tools that note what was really called, and where spans go."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

BASE_URL, FOLDER, NAME = (*sys.argv[1:4], "", "", "")[:3]
ASKED = "Look up the orders 7 and 8, then refund order 7."


def note(record: Any, kind: str) -> None:
    """Add a line to a file of this program's recordings, without the folders of this machine."""
    text = record if isinstance(record, str) else json.dumps(record)
    for folder in (Path(__file__).parent, Path(sys.prefix), Path(sys.base_prefix)):
        text = text.replace(str(folder), folder.name)
    with Path(FOLDER, f"{NAME}.{kind}").open("a", encoding="utf-8") as file:
        file.write(text + "\n")


def look_up(order_id: str) -> str:
    """Look up an order.

    Args:
        order_id: The number of the order.
    """
    answer = f"order {order_id}: paid 90"
    note({"tool": "look_up", "arguments": {"order_id": order_id}, "answer": answer}, "called.jsonl")
    return answer


def refund(order_id: str, amount: int) -> str:
    """Refund a part of an order.

    Args:
        order_id: The number of the order.
        amount: How much, in dollars.
    """
    said = {"tool": "refund", "arguments": {"order_id": order_id, "amount": amount}}
    if amount > 90:
        note(said | {"error": "at most 90"}, "called.jsonl")
        raise ValueError("at most 90")
    note(said | {"answer": "refunded"}, "called.jsonl")
    return "refunded"


def provider() -> Any:
    """Return a tracer provider whose spans are written a line each, as they end."""
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult

    class Lines(SpanExporter):
        def export(self, spans: Any) -> Any:
            for span in spans:
                note(span.to_json(indent=None), "spans.jsonl")
            return SpanExportResult.SUCCESS

    made = TracerProvider()
    made.add_span_processor(SimpleSpanProcessor(Lines()))
    return made
