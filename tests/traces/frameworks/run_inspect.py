"""Inspect: a sample of a task that an agent solves. Its log."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import desk

os.environ |= {"LOCAL_BASE_URL": desk.BASE_URL, "LOCAL_API_KEY": "none", "INSPECT_DISPLAY": "none"}

import inspect_ai
from inspect_ai.agent import react
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes
from inspect_ai.tool import ToolError, tool


@tool
def look_up():
    async def execute(order_id: str) -> str:
        """Look up an order.

        Args:
            order_id: The number of the order.
        """
        return desk.look_up(order_id)

    return execute


@tool
def refund():
    async def execute(order_id: str, amount: int) -> str:
        """Refund a part of an order.

        Args:
            order_id: The number of the order.
            amount: How much, in dollars.
        """
        try:
            return desk.refund(order_id, amount)
        except ValueError as error:
            raise ToolError(str(error)) from None

    return execute


sample = Sample(input=desk.ASKED, target="40")
task = inspect_ai.Task(
    dataset=[sample], solver=react(tools=[look_up(), refund()]), scorer=includes(), name="desk"
)
(log,) = inspect_ai.eval(
    task, model="openai-api/local/local", log_dir=str(Path("logs").resolve()), display="none"
)
shutil.copy(log.location.removeprefix("file://"), Path(desk.FOLDER, f"{desk.NAME}.log.eval"))
