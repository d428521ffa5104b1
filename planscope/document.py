"""The base of all JSON documents: a pydantic model gives both the JSON that is printed and its schema."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Self

from pydantic import BaseModel, ConfigDict
from pydantic_core import PydanticSerializationError

from planscope.json_text import finite, json_text

_ABSENT = object()
_REPLACED = r"\ufffd"


class Document(BaseModel):
    """A JSON document. Fields are only added, never renamed or dropped. Fields that were not set are not printed.

    It has no fields that its schema does not name.
    """

    model_config = ConfigDict(extra="forbid", from_attributes=True, defer_build=True)

    @classmethod
    def of(cls, source: object, **more: Any) -> Self:
        """Make a document from the attributes of ``source``; ``more`` adds fields or replaces them."""
        found = {
            name: value
            for name in cls.model_fields
            if name not in more and (value := getattr(source, name, _ABSENT)) is not _ABSENT
        }
        return cls.model_validate(found | more)

    def as_data(self) -> dict[str, Any]:
        """Return the printed fields."""
        data: dict[str, Any] = finite(self.model_dump(exclude_unset=True, by_alias=True))
        return data

    def as_line(self) -> str:
        """Return the document as JSON on one line: five times as fast, for documents that are printed in large
        numbers."""
        return self._line(())

    def _line(self, left_out: Collection[str]) -> str:
        without = set(left_out)
        try:
            line = self.model_dump_json(exclude=without, exclude_unset=True, by_alias=True, ensure_ascii=True)
        except PydanticSerializationError:  # raised for a lone surrogate, or for data nested too deeply
            line = _REPLACED
        if _REPLACED in line:  # a lone surrogate in a key may have been replaced
            return json_text({name: one for name, one in self.as_data().items() if name not in without})
        return line.replace("\x7f", r"\u007f")

    def as_pieces(self) -> Iterator[str]:
        """Yield the document as JSON, one field per line. Documents in an iterator are made and printed one by one; its
        end may set the fields below. Nothing is printed if the first document cannot be made."""
        separator = "{"
        for name in type(self).model_fields:
            if name not in self.model_fields_set:
                continue
            value: object = getattr(self, name)
            if isinstance(value, Document):
                pieces = value.as_pieces()
            elif isinstance(value, Iterator):
                pieces = _items(value)
            else:
                pieces = iter((json_text(self.model_dump(include={name}, exclude_unset=True)[name]),))
            yield f'{separator}\n"{name}": {next(pieces)}'
            yield from pieces
            separator = ","
        yield "\n}"


def _items(documents: Iterator[Document]) -> Iterator[str]:
    separator = "["
    for document in documents:
        yield f"{separator}\n{document.as_line()}"
        separator = ","
    yield "\n]" if separator == "," else "[]"
