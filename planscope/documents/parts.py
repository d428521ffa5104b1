"""What the schemas of all documents are made of."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

Step = int | Literal["end"]


class Document(BaseModel):
    """Fields may be added to a document; none is renamed or dropped."""

    model_config = ConfigDict(extra="allow")
