"""What is skimmed over is what holds nothing: with and without it, the same is found and replaced everywhere."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planscope.session.store import dumps
from planscope.session.validation import from_document
from planscope.sharing.redact import RedactionError, Surroundings, look_through, people, redact, walk
from tests.sharing.cases import plain_session
from tests.sharing.seeds import seeds

AROUND = Surroundings((("API_KEY", "k3y-of-env-99"),), "/home/maria", "maria", ("buildbox",))
TEXTS = [
    *(seed.text for seed in seeds(3)[::6]),
    *(
        "/home/bob/x",
        "bob@corp.acme-corp.org",
        "k3y-of-env-99",
        "buildbox",
        "maria",
        "10.1.2.3",
        "+49 170 1234567",
    ),
    *(
        "4111 1111 1111 1111",
        "REDACTED_EMAIL_3",
        "ok",
        "token",
        "call",
        "bob",
        "hunter22",
        "",
        "[",
        "alpha_review",
    ),
]
KEYS = ["password", "host", "user", "credentials", "id", "name", "status", "kind", "start_time", *TEXTS[:9]]
values = st.recursive(
    st.sampled_from(TEXTS) | st.sampled_from([4111111111111111, 17, 3.5, True, None]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3)
        | inner.map(json.dumps)
        | inner.map(lambda one: f"see {json.dumps(one)}")
    ),
    max_leaves=8,
)
PLACES = [
    ("title",),
    ("x",),
    ("cursor", "x"),
    ("variants", 0, "x"),
    ("variants", 0, "actions", 0, "name"),
    ("runs", 0, "status"),
    ("runs", 0, "model"),
    ("runs", 0, "events", 1, "text"),
    ("runs", 0, "events", 1, "message", "x"),
    ("runs", 0, "events", 2, "arguments", "x"),
    ("runs", 0, "events", 2, "raw"),
    ("runs", 0, "events", 3, "text"),
]
TEXT_ONLY = {"title", "name", "model", "text", "raw"}


def changed(changes: list[tuple[tuple[Any, ...], Any]]) -> Any:
    document = plain_session().model_dump(mode="json", exclude_none=True)
    for place, value in changes:
        here: Any = document
        for step in place[:-1]:
            here = here[step]
        here[place[-1]] = value if isinstance(value, str) or place[-1] not in TEXT_ONLY else json.dumps(value)
    return from_document(document, "x")


def told(session: Any) -> tuple[Any, Any]:
    """What is found, with its places, and what the session becomes, or why it cannot."""
    redaction = look_through(session, AROUND)
    try:
        return redaction, dumps(redact(session, redaction))
    except RedactionError as error:
        return redaction, str(error)


@pytest.mark.parametrize("name", ["status", "type", "kind", "method", "ending", "format", "created"])
def test_a_field_of_others_that_is_called_like_one_of_ours(name: str) -> None:
    session = changed([(("runs", 0, name), "sk-ant-api03-AbCdEfGhIjKl0123456789")])
    assert b"sk-ant" not in dumps(redact(session, look_through(session, AROUND)))


def test_names_of_fields_of_others() -> None:
    session = changed([(("runs", 0, "/home/bob/x"), 1), (("variants", 0, "bob@corp.acme-corp.org"), [2])])
    session.runs[0].credentials = {"door": "opensesame1"}
    text = dumps(redact(session, look_through(session, AROUND)))
    assert b"bob" not in text and b"opensesame1" not in text


def test_json_in_texts_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "MOST_DECODED", 100)
    few, many = json.dumps([1] * 60), json.dumps([1] * 120)
    look_through(plain_session(notes=few, cursor={"x": few}), AROUND)
    for notes, title in ((many, "x"), (few, few + " "), (json.dumps([few, few + " "]), "x")):
        with pytest.raises(RedactionError, match="--no-redact"):
            look_through(plain_session(notes=notes).model_copy(update={"title": title}), AROUND)


def test_too_much_to_look_through_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    notes = " ".join(f"user{k}@corp.acme-corp.org" for k in range(30))
    look_through(plain_session(notes=notes), AROUND)
    monkeypatch.setattr("planscope.sharing.redact.replace.MOST_FINDINGS", 20)
    with pytest.raises(RedactionError, match=r"more than 20 different private values.*--no-redact"):
        look_through(plain_session(notes=notes), AROUND)
    monkeypatch.setattr("planscope.sharing.redact.scan.MOST_LOOKED_AT", 3000)
    look_through(plain_session(), AROUND)
    with pytest.raises(RedactionError, match=r"too many different texts.*--no-redact"):
        look_through(plain_session(notes="abc " * 2000), AROUND)
    look_through(plain_session(notes="other"), AROUND)  # each session is counted for itself


USERS = frozenset({"bob", "jo.smith", "a+b", "x-1", "@z", "Al Ng", "o'b", "d) e"})


@given(
    st.lists(
        st.sampled_from([*USERS, *"/\\@=:.- '\"", "user", "owner", "login=", "username: ", "ab", "é"]),
        max_size=12,
    )
)
def test_users_are_found_where_they_are_named(parts: list[str]) -> None:
    """As one pattern for each user would find them, whatever their number."""
    text = "".join(parts)
    wanted: set[tuple[int, int]] = set()
    for user in USERS:
        name = re.escape(user)
        for match in re.finditer(
            rf"(?<=[/\\]){name}(?=[/\\\s\"',:;)]|$)|(?<![\w.-]){name}(?=@)"
            rf"|(?i:\b(?:user(?:name)?|owner|login)[\"']?\s{{0,2}}[=:]\s{{0,2}}[\"']?)(?P<user>{name})(?![\w-])",
            text,
        ):
            wanted.add(match.span("user") if match["user"] else match.span())
    found = set(people.users_in(text, USERS))
    assert wanted <= found | {s for s in wanted if any(f[0] <= s[0] and s[1] <= f[1] for f in found)}
    assert all(text[a:b] in USERS and b <= len(text) for a, b in found)
