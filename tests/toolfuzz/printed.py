"""What ``planscope fuzz`` prints of a report, and sets of prompts to print."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from jsonschema import Draft202012Validator

from planscope.agents.models import LoadedModel
from planscope.documents.fuzz import FuzzDocument, SetDocument
from planscope.documents.schemas import schema
from planscope.session.model import FuzzCall, FuzzPrompt
from planscope.sharing.fuzz_files import fuzz_page
from planscope.show.text import lines
from planscope.toolfuzz.correctness.checks import PromptSet
from planscope.toolfuzz.models import FuzzModels, ModelOptions
from planscope.toolfuzz.report import Report
from planscope.views.fuzz import fuzz_blocks
from tests.cli.test_documents import closed


def data_of(report: Report) -> Any:
    return json.loads(json.dumps(FuzzDocument.of_report(report).as_data()))


def set_data(one: PromptSet) -> Any:
    return json.loads(json.dumps(SetDocument.of(one).as_data()))


def is_what_the_schema_says(data: Any) -> bool:
    """Whether a document has the fields of its schema and no others."""
    Draft202012Validator(closed(schema("fuzz"))).validate(data)
    return True


def page(report: Report) -> str:
    return fuzz_page(FuzzDocument.of_report(report))


def text_of(report: Report) -> str:
    return "\n".join(lines(fuzz_blocks(FuzzDocument.of_report(report)), 100))


def call(tool: str, arguments: object, output: str | None, failed: bool = False) -> FuzzCall:
    return FuzzCall(tool=tool, arguments=arguments, output=output, failed=failed)


def prompt_run(
    prompt: str, filled: str, words: Mapping[str, str], calls: Sequence[FuzzCall] = (), **more: Any
) -> FuzzPrompt:
    whole = {"answer": None, "error": None, "score": None, "reason": "", "run": None} | more
    return FuzzPrompt(prompt=prompt, filled=filled, words=dict(words), calls=list(calls), **whole)


def prompt_set(
    tool: str,
    template: str,
    fillings: Mapping[str, Sequence[str]],
    runs: Sequence[FuzzPrompt] = (),
    expectation: str | None = None,
) -> PromptSet:
    words = {name: list(some) for name, some in fillings.items()}
    return PromptSet(tool=tool, template=template, fillings=words, runs=list(runs), expectation=expectation)


def models_of(loaded: LoadedModel, **options: Any) -> FuzzModels:
    return FuzzModels(ModelOptions(loaded.spec.text, **options), loaded)
