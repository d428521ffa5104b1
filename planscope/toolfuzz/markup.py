"""Text from tools and models for a web page."""

from __future__ import annotations

import html

from planscope.safe import visible


def safe_html(value: object) -> str:
    """Return text for the page: escaped, control characters visible, addresses broken up."""
    text = "\n".join(visible(line) for line in str(value).split("\n"))
    return html.escape(text).replace("://", ":&#47;&#47;")
