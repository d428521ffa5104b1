"""What the schemas of all documents are made of."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Document(BaseModel):
    """Fields may be added to a document; none is renamed or dropped."""

    model_config = ConfigDict(extra="allow")
