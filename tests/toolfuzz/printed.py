"""What ``planscope fuzz --json`` prints of a report."""

from __future__ import annotations

import json
from typing import Any

from jsonschema import Draft202012Validator

from planscope.documents.fuzz import FuzzDocument, SetDocument
from planscope.documents.schemas import schema
from planscope.toolfuzz.correctness.checks import PromptSet
from planscope.toolfuzz.report import Report
from tests.cli.test_documents import closed


def data_of(report: Report) -> Any:
    return json.loads(json.dumps(FuzzDocument.of_report(report).as_data()))


def set_data(one: PromptSet) -> Any:
    return json.loads(json.dumps(SetDocument.of(one).as_data()))


def is_what_the_schema_says(data: Any) -> bool:
    """Whether a document has the fields of its schema and no others."""
    Draft202012Validator(closed(schema("fuzz"))).validate(data)
    return True
