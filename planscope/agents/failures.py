"""Describes errors of models and networks in one clear line, without secrets, addresses and stack traces."""

from __future__ import annotations

import re
from collections.abc import Iterable

from planscope.safe.secret_names import without_secrets

LINE = 240
"""The limit for a reason, in characters."""

_KINDS = {
    "ModelAuthenticationError": "authentication",
    "ModelPermissionDeniedError": "permission",
    "ModelNotFoundError": "not_found",
    "ModelRateLimitError": "rate_limit",
    "ContextOverflowError": "context",
    "ModelInvalidRequestError": "invalid_request",
    "ModelTimeoutError": "network_timeout",
    "APITimeoutError": "network_timeout",
    "ModelConnectionError": "connection",
    "ModelAPIError": "server",
}
"""The kinds of LangChain's exceptions by class name, and of those of SDKs that do not derive from them. Names need
no import."""

_STATUSES = {401: "authentication", 403: "permission", 404: "not_found", 429: "rate_limit"}

_URL = re.compile(r"\(?\b[a-z][a-z0-9+.-]*://[^\s)'\"]+\)?", re.IGNORECASE)
_KEY_LIKE = re.compile(r"\b(?:sk|pk|gsk|xai|hf|nvapi|AIza)[-_][\w*.-]{6,}|(?<=Bearer )\S+")
_BLIND_CLOSING = re.compile(r"(for troubleshooting, visit:?|for further information visit)\s*", re.IGNORECASE)


def explain(
    error: BaseException, *, where: str = "model", keys: Iterable[str] = (), host: str | None = None
) -> tuple[str, str]:
    """Return the kind of an exception, and one line about it.

    ``where`` says what raised it: ``model``, ``tool`` or ``agent``. ``keys`` are the environment variables to check if
    a key is refused. ``host`` is the server, if it is known.
    """
    kind = _kind(error)
    detail = _detail(error)
    said = f": {detail}" if detail else ""
    server = f" {host}" if host else ""
    match kind:
        case "authentication":
            check = " or ".join(keys)
            text = "the provider refused the key (401)" + (f"; check {check}" if check else "")
        case "permission":
            text = f"the provider does not allow this (403){said}"
        case "not_found":
            text = f"the server{server} has no such model or path (404); check the name of the model{said}"
        case "rate_limit":
            text = f"the provider's rate limit is reached (429); try again later{_wait(error)}{said}"
        case "context":
            text = f"the conversation is too long for the model{said}"
        case "invalid_request":
            text = f"the provider refused the request{said}"
        case "network_timeout":
            text = f"the server{server} did not answer in time; try again"
        case "connection":
            text = f"the server{server} could not be reached, or closed the connection early{_root(error)}"
        case "server":
            status = getattr(error, "status_code", None)
            text = f"the provider failed ({status}){said}" if status else f"the provider failed{said}"
        case _:
            kind = where
            what = "the model's answer could not be used" if where == "model" else f"the {where} crashed"
            text = f"{what} ({type(error).__name__}{said})"
    return kind, one_line(text)


def one_line(text: str, limit: int = LINE) -> str:
    """Return the text on one line of at most ``limit`` characters, without addresses and secrets."""
    text = _KEY_LIKE.sub("[secret]", without_secrets(text))
    text = _BLIND_CLOSING.sub("", _URL.sub("", text))
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 3].rstrip() + "..."


def _kind(error: BaseException) -> str | None:
    for cls in type(error).__mro__:
        if cls.__name__ in _KINDS:
            return _KINDS[cls.__name__]
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        return _STATUSES.get(status) or ("server" if status >= 500 else "invalid_request")
    if isinstance(error, ConnectionError):
        return "connection"
    module, name = type(error).__module__, type(error).__name__
    if module.startswith("httpx") or name == "APIConnectionError":
        return "network_timeout" if "Timeout" in name else "connection"
    return None


def _detail(error: BaseException) -> str:
    body = getattr(error, "body", None)
    if isinstance(body, dict):
        inner = body.get("error", body)
        message = inner.get("message") if isinstance(inner, dict) else inner
        if isinstance(message, str) and message.strip():
            return message
    text = str(error).strip()
    return text.splitlines()[0] if text else ""


def _wait(error: BaseException) -> str:
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    seconds = headers.get("retry-after", "")
    return f" (after {seconds} s)" if re.fullmatch(r"\d{1,6}", seconds) else ""


def _root(error: BaseException) -> str:
    """Return the words of the innermost cause: "Connection refused" says more than "Connection error."."""
    last: BaseException = error
    while (inner := last.__cause__ or last.__context__) is not None and inner is not last:
        last = inner
    words = str(last).strip()
    return f": {words.splitlines()[0]}" if last is not error and words else ""
