"""The content security policy of a page that loads nothing."""

from __future__ import annotations

import base64
import hashlib
import html


def policy_tag(style: str, script: str | None = None) -> str:
    """Return the tag that allows a page its own style sheet and script, by their checksums, and nothing else."""
    allowed = "'none'" if script is None else f"'{_checksum(script)}'"
    own = f"script-src {allowed}; style-src '{_checksum(style)}'"
    policy = f"default-src 'none'; {own}; base-uri 'none'; form-action 'none'"
    return f'<meta http-equiv="Content-Security-Policy" content="{html.escape(policy, quote=True)}">'


def _checksum(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
