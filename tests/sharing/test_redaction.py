"""Nothing private leaves: keys and tokens of many kinds, addresses, homes, hosts, the environment."""

from __future__ import annotations

import html
import json
import random
import re
import time
from urllib.parse import unquote

import pytest

from planscope.language.topics import load_topics
from planscope.oracle.trace import Said, ToolCall, Trace
from planscope.rules.in_session import add_rules
from planscope.session.model import CallEvent, MessageEvent, Session
from planscope.session.store import dumps
from planscope.session.traces import session_of
from planscope.sharing.formats import FORMATS, share
from planscope.sharing.redact import (
    Redaction,
    RedactionError,
    Surroundings,
    look_through,
    own,
    redact,
    redacted,
    shapes,
)
from planscope.sharing.redact.scan import Scanner, scanner_for
from planscope.sharing.redact.shapes import load_rules
from tests.nightly import nightly
from tests.sharing.cases import plain_session, planted, run_of, written
from tests.sharing.seeds import Seed, seeds

NOWHERE = Surroundings()


def everything(session: Session, redaction: Redaction) -> dict[str, str]:
    """The session in every form, and what a reader makes of each who undoes the escapes."""
    safe = redact(session, redaction)
    made = {name: share(safe, None, name, redaction=None) for name in FORMATS}
    assert share(session, None, "text", redaction=redaction) == made["text"]
    return {name: f"{text}\n{undone(text)}" for name, text in made.items()}


def undone(text: str) -> str:
    """Escapes of JSON (twice), HTML and addresses undone; line ends joined, as in a wrapped text."""
    for _ in range(3):
        text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda m: chr(int(m[1], 16)), text)
        text = text.replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")
    return "\n".join([html.unescape(text), unquote(text), re.sub(r"\s*\n\s*", "", text)])


@pytest.mark.parametrize("user", ["omar_davis_3817", "marianne"])
def test_a_user_of_an_argument_is_no_value_from_nowhere_when_it_is_shared(user: str) -> None:
    items = [
        Said("user", f"I am a customer, and my id here is {user}."),
        ToolCall("get_user", {"user_id": user}, answer="{}", answered=True),
        ToolCall("calculate", {"expression": "1 + 1"}, answer="2", answered=True),
    ]
    session = session_of([Trace(items, id="t")])
    add_rules(session, "Never call calculate.")
    safe = redact(session, look_through(session, NOWHERE))
    event = next(event for event in safe.runs[0].events if isinstance(event, CallEvent))
    assert event.arguments == {"user_id": "REDACTED_USER_NAME_1"}
    assert (user in dumps(safe).decode()) is (user == "marianne"), (
        "a name that may be a word is replaced where it is a name"
    )
    for one in (session, safe):
        told = share(one, None, "text", redaction=None)
        assert "it violates Never call calculate" in told and "stands in no answer" not in told


@pytest.fixture(params=["with the library", "own rules alone"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    scanner_for.cache_clear()
    if request.param == "own rules alone":
        monkeypatch.setattr(shapes, "_scanner", lambda: None)
    elif not shapes.has_library():
        pytest.skip("the detector library is not installed")


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("every", [9, *nightly(1)])
def test_no_seeded_secret_is_left_in_any_form(every: int) -> None:
    planted_secrets = seeds(7)[::every]
    assert len({seed.kind for seed in planted_secrets}) > 100 // every
    session = planted([seed.text for seed in planted_secrets])
    redaction = look_through(session, NOWHERE)
    for name, text in everything(session, redaction).items():
        for seed in planted_secrets:
            assert seed.secret not in text, f"{seed.kind} is left in {name}"
            for line in seed.secret.splitlines():
                assert line not in text or line.startswith("-----"), (
                    f"a line of {seed.kind} is left in {name}"
                )


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("seed", seeds(11), ids=lambda seed: seed.kind)
def test_every_kind_is_found_by_itself(seed: Seed) -> None:
    text = seed.text
    for hit in reversed(Scanner(NOWHERE).find(text)):
        text = f"{text[: hit.start]}<{hit.kind}>{text[hit.end :]}"
    pieces = (seed.secret[i : i + 12] for i in range(max(1, len(seed.secret) - 11)))
    assert not [piece for piece in pieces if piece in text], text


PERSONAL = {
    "ada.lovelace@acme-corp.com": "write to ada.lovelace@acme-corp.com, please",
    "Ada+lists@mail.example.co.uk": "cc: <Ada+lists@mail.example.co.uk>",
    "/home/ada": "see /home/ada/.ssh/config",
    "/Users/ada": "file:///Users/ada/Library/x",
    "C:\\Users\\Ada Lovelace": "C:\\Users\\Ada Lovelace\\Documents\\x.txt is locked",
    "C:/Users/grace": "C:/Users/grace/x",
    "/mnt/c/Users/grace": "ls /mnt/c/Users/grace/x",
    "~grace": "cat ~grace/notes",
    "build-7.corp.internal": "could not reach build-7.corp.internal",
    "db.acme-corp.com": "postgres at db.acme-corp.com:5432",
    "printer.local": "lp -h printer.local",
    "gpu-box-3": "http://gpu-box-3:8000/v1/chat failed",
    "cache-2": "Connection to cache-2:6379 refused",
    "bastion-1": "ssh -p 22 ops@bastion-1 uptime",
    "ip-10-0-3-17": "on ip-10-0-3-17 now",
    "10.20.30.40": "connect to 10.20.30.40: refused",
    "203.1.113.77": "from 203.1.113.77",
    "fe80::1ff:fe23:4567:890a": "at fe80::1ff:fe23:4567:890a today",
    "00:1B:44:11:3A:B7": "mac 00:1B:44:11:3A:B7",
    "+49 170 1234567": "call +49 170 1234567 now",
    "(555) 123-4567": "or (555) 123-4567",
    "4111 1111 1111 1111": "card 4111 1111 1111 1111",
    "DE89 3704 0044 0532 0130 00": "pay to DE89 3704 0044 0532 0130 00",
    "078-05-1120": "ssn 078-05-1120",
}


def test_nothing_personal_is_left_in_any_form() -> None:
    session = planted(list(PERSONAL.values()))
    redaction = look_through(session, NOWHERE)
    found = {finding.text.casefold() for finding in redaction.findings}
    assert {value.casefold() for value in PERSONAL} - found == set()
    for name, text in everything(session, redaction).items():
        for value in PERSONAL:
            assert value.casefold() not in text.casefold(), f"{value} is left in {name}"
            assert json.dumps(value)[1:-1] not in text, f"{value} is left in {name}"


@pytest.mark.parametrize("number", [1, 3])
def test_what_the_preview_promises_is_what_happens(number: int) -> None:
    """Every finding is there as it was if it is kept, else not at all, and what was said to replace it is."""
    draw = random.Random(number)
    session = planted([seed.text for seed in seeds(7)][::5] + list(PERSONAL.values()))
    promised = look_through(session, NOWHERE)
    for finding in promised.findings:
        if draw.random() < 0.3:
            promised = promised.keep(finding.number)
        elif draw.random() < 0.3:
            promised = promised.replace_by(finding.number, f"WORD-{finding.number}-HERE")
    made = dumps(redact(session, promised)).decode()
    for finding in promised.findings:
        there = finding.text in made or json.dumps(finding.text)[1:-1] in made
        if finding.kind != "user-name":  # so short that it is a part of other words, too
            assert there == finding.kept, finding
        assert (finding.replacement in made) == (not finding.kept), finding


def test_a_user_known_from_a_home_is_found_in_other_paths() -> None:
    session = plain_session(
        notes="/home/zelda/x and /data/zelda/models, owner: zelda. Zelda is a game, zelda."
    )
    notes = redact(session, look_through(session, NOWHERE)).notes
    assert notes == (
        "REDACTED_HOME_1/x and /data/REDACTED_USER_NAME_1/models, owner: REDACTED_USER_NAME_1. "
        "Zelda is a game, zelda."
    )


def test_secrets_of_the_environment_are_found() -> None:
    environment = {
        "MY_API_KEY": "plain-value-42",
        "DB_PASSWORD": "correcthorsebattery",
        "GITHUB_TOKEN": "short",
        "SERVICE_URL": "https://user:pw99pw@service.acme-corp.com/x",
        "AUTH_METHOD": "oauth",
        "PATH": "/usr/bin:/bin",
        "SSH_AUTH_SOCK": "/tmp/agent.1",
        "LESS": "-R-secret-like",
        "MAX_TOKENS": "100000",
    }
    around = own(environment)
    assert {name for name, _ in around.values} == {"MY_API_KEY", "DB_PASSWORD", "SERVICE_URL"}
    session = plain_session(notes="it is plain-value-42, correcthorsebattery, oauth, short, -R-secret-like")
    redaction = look_through(session, Surroundings(around.values))
    assert redact(session, redaction).notes == (
        "it is REDACTED_ENVIRONMENT_1, REDACTED_ENVIRONMENT_2, oauth, short, -R-secret-like"
    )
    assert [finding.label for finding in redaction.findings] == [
        "value of $MY_API_KEY",
        "value of $DB_PASSWORD",
    ]


def test_the_machines_own_names_are_found() -> None:
    around = Surroundings(home="/srv/people/kim", user="kim", hosts=("workbench",))
    session = plain_session(notes="/srv/people/kim/x on workbench; /var/mail/kim; workbenches; kim said")
    assert redact(session, look_through(session, around)).notes == (
        "REDACTED_HOME_1/x on REDACTED_HOST_1; /var/mail/REDACTED_USER_NAME_1; workbenches; kim said"
    )


@pytest.mark.usefixtures("library")
def test_no_false_alarm_in_the_phrases_of_topics() -> None:
    detectors = Scanner(own())
    phrases = [phrase for job, activities in load_topics().items() for phrase in (job, *activities)]
    assert len(phrases) >= 1000
    assert [phrase for phrase in phrases if detectors.find(phrase)] == []
    assert detectors.find(". ".join(phrases)) == []
    assert detectors.find(json.dumps(dict(enumerate(phrases)))) == []


def test_what_everybody_knows_is_no_finding() -> None:
    detectors = Scanner(NOWHERE)
    for text in (
        "POST https://api.openai.com/v1/chat/completions failed, see https://docs.python.org/3/",
        "http://localhost:8000 and 127.0.0.1:80 and 0.0.0.0, version 1.2.3.4",
        "planscope.agents.runner.run_once in /usr/lib/python3.12/site-packages/x.py",
        "input_tokens: 120, max_tokens=4000, token_count: 3, next_page_token",
        "call_AbCdEfGhIjKlMnOpQrStUv12 chatcmpl-AbCdEfGhIjKlMnOpQrStUv12 resp_68a1b2c3d4e5f60718293a4b5c6d7e8f9",
        "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
        "the password is wrong, the token is missing, Authorization: Bearer <token>, password=***",
        "git@github.com:planscope/planscope.git, noreply@github.com",
        "10:00 to 12:00, 2026-11-21T00:00:00Z, c1 < c2, a1.end <= a2.start",
        "pip install planscope[openai]==1.0.0 --index-url x",
        "the key to it is practice; a secret garden; token ring",
        "do not respond to the user simultaneously. Ask for the user first, as told by the user yesterday;",
    ):
        assert detectors.find(text) == [], text


def test_an_account_that_a_sentence_names_is_found() -> None:
    detectors = Scanner(NOWHERE)
    for text, user in (
        ("this order was placed by the user mia_li_3668.", "mia_li_3668"),
        ("sent to the user j.doe from here", "j.doe"),
        ("session opened for user carol", "carol"),
    ):
        assert [text[one.start : one.end] for one in detectors.find(text)] == [user]


def test_the_same_value_gets_the_same_word_however_it_is_written() -> None:
    session = plain_session(
        notes="ada@acme-corp.com, Ada@Acme-Corp.com, ada%40acme-corp.com and C:\\Users\\ada\\x",
    )
    call = next(e for e in session.runs[0].events if isinstance(e, CallEvent))
    inner = json.dumps({"mail": "ada@acme-corp.com", "path": "C:\\Users\\ada\\x", "quoted": 'pa"ss\nword/1é'})
    changed = call.model_copy(
        update={
            "arguments": {"password": 'pa"ss\nword/1é', "ada@acme-corp.com": "key"},
            "raw": json.dumps({"inner": inner}),
        }
    )
    session.runs[0].events[session.runs[0].events.index(call)] = changed
    redaction = look_through(session, NOWHERE)
    assert len(redaction.findings) == 3, redaction.findings
    made = redact(session, redaction)
    assert made.notes == "REDACTED_EMAIL_1, REDACTED_EMAIL_1, REDACTED_EMAIL_1 and REDACTED_HOME_1\\x"
    after = next(e for e in made.runs[0].events if isinstance(e, CallEvent))
    assert after.arguments == {"password": "REDACTED_NAMED_SECRET_1", "REDACTED_EMAIL_1": "key"}
    assert after.raw is not None
    assert json.loads(json.loads(after.raw)["inner"]) == {
        "mail": "REDACTED_EMAIL_1",
        "path": "REDACTED_HOME_1\\x",
        "quoted": "REDACTED_NAMED_SECRET_1",
    }
    places = {f.kind: [str(place) for place in f.places] for f in redaction.findings}
    assert places["email"] == [
        "notes",
        "run r1, step 1, arguments.ada@acme-corp.com (key)",
        "run r1, step 1, raw",
    ]
    assert places["named-secret"] == ["run r1, step 1, arguments.password", "run r1, step 1, raw"]


def test_a_secret_spelled_with_escapes_is_found() -> None:
    session = plain_session()
    call = next(e for e in session.runs[0].events if isinstance(e, CallEvent))
    raw = '{"key": "\\u0073k-ant-api03-AbCdEfGhIjKlMnOp", "cut": "\\u0061da@acme-corp.c\\u006fm'
    session.runs[0].events[session.runs[0].events.index(call)] = call.model_copy(update={"raw": raw})
    made = dumps(redact(session, look_through(session, NOWHERE))).decode()
    assert "AbCdEfGhIjKlMnOp" not in made and "acme-corp" not in made


@pytest.mark.parametrize("half", [r"\ud83d", r"\ud83d\ude00", r"\\ude00", r"\uD83D\u0041"])
@pytest.mark.parametrize(
    "shape", ['["{} bob@corp.acme-corp.org"]', "{} bob@corp.acme-corp.org", '{{"{}": {{"pin": 1234}}}}']
)
def test_halves_of_letters_that_are_spelled_out_do_no_harm(half: str, shape: str) -> None:
    session = plain_session(notes=shape.format(half))
    for text in everything(session, look_through(session, NOWHERE)).values():
        assert "bob@" not in text and "1234" not in text


@pytest.mark.parametrize(("begin", "end"), [("[", "]"), ('{"a":', "}")])
def test_json_in_a_text_that_is_nested_too_deeply_is_said(begin: str, end: str) -> None:
    """How deep is too deep depends on where the caller stands; what cannot be read at all is looked at as a text."""
    said = set()
    for depth in range(100, 1000, 25):
        session = plain_session(notes=f'{begin * depth}"bob@corp.acme-corp.org"{end * depth}')
        try:
            assert b"bob@" not in dumps(redact(session, look_through(session, NOWHERE)))
        except RedactionError as error:
            said.add(str(error))
    (line,) = said
    assert "nested too deeply" in line and "\n" not in line


def test_numbers_under_a_secret_name_are_replaced() -> None:
    session = plain_session()
    call = next(e for e in session.runs[0].events if isinstance(e, CallEvent))
    arguments = {"start_time": 8, "pin": 4321, "card_number": 4111111111111111, "count": 4321}
    session.runs[0].events[session.runs[0].events.index(call)] = call.model_copy(
        update={"arguments": arguments}
    )
    made = redact(session, look_through(session, NOWHERE))
    after = next(e for e in made.runs[0].events if isinstance(e, CallEvent)).arguments
    assert after == {
        "start_time": 8,
        "pin": "REDACTED_NAMED_SECRET_1",
        "card_number": "REDACTED_CARD_1",
        "count": 4321,
    }


def test_keys_of_mappings_never_fall_together() -> None:
    session = plain_session()
    call = next(e for e in session.runs[0].events if isinstance(e, CallEvent))
    arguments = {"ada@acme-corp.com": 1, "ADA@acme-corp.com": 2}
    session.runs[0].events[session.runs[0].events.index(call)] = call.model_copy(
        update={"arguments": arguments}
    )
    made = redact(session, look_through(session, NOWHERE))
    after = next(e for e in made.runs[0].events if isinstance(e, CallEvent)).arguments
    assert after == {"REDACTED_EMAIL_1": 1, "REDACTED_EMAIL_1_2": 2}


def test_the_user_decides_for_each_finding() -> None:
    session = plain_session(notes="ada@acme-corp.com, bob@acme-corp.com, host db.corp.internal")
    redaction = look_through(session, NOWHERE)
    assert [f.number for f in redaction.findings] == [1, 2, 3]
    decided = redaction.keep(1).replace_by(2, "ROBERT")
    assert redact(session, decided).notes == "ada@acme-corp.com, ROBERT, host REDACTED_HOST_1"
    assert decided.counts == {"e-mail address": 1, "host name": 1}
    assert redact(session, decided.keep(1, False)).notes.startswith("REDACTED_EMAIL_1, ROBERT")
    assert redact(session, redaction.keep(1).keep(2).keep(3)) == session
    for wrong in ("", "two words", "x" * 41, "a/b", "REDACTED_HOST_1", "redacted_host_1"):
        with pytest.raises(RedactionError):
            redaction.replace_by(1, wrong)
    with pytest.raises(RedactionError, match="no finding 4"):
        redaction.keep(4)


def test_the_shortest_value_is_replaced_wherever_it_stands() -> None:
    """A home of four characters is recognized by what follows, and elsewhere by itself, but not inside a word."""
    session = planted(["ls ~bob/work", "then cd ~bob", "x~bobby"])
    redaction = look_through(session, NOWHERE)
    assert [f.text for f in redaction.findings] == ["~bob"]
    assert redact(session, redaction).notes.splitlines() == [
        "ls REDACTED_HOME_1/work",
        "then cd REDACTED_HOME_1",
        "x~bobby",
    ]


@pytest.mark.parametrize(
    "written_as",
    [
        "quiet<heron&77/x",
        r"quiet\u003cheron\u002677/x",
        r"quiet<heron&77\/x",
        "quiet&lt;heron&amp;77/x",
        "quiet%3Cheron%2677%2Fx",
        "QUIET<HERON&77/X",
    ],
)
def test_a_text_that_still_contains_a_value_is_refused(written_as: str) -> None:
    """However the format writes it: as JSON in a page, in an address, in HTML."""
    session = planted(["password = 'quiet<heron&77/x'"])
    safe = redacted(session, look_through(session, NOWHERE))
    safe.check(safe.session.model_dump_json())
    with pytest.raises(RedactionError, match="could not be replaced everywhere"):
        safe.check(f"before {written_as} after")


def test_redacting_again_finds_nothing_and_new_words_are_new() -> None:
    session = planted([seed.text for seed in seeds(3)][::12] + list(PERSONAL.values()))
    once = redact(session, look_through(session, NOWHERE))
    assert look_through(once, NOWHERE).findings == ()
    more = once.model_copy(update={"notes": f"{once.notes}\nnew@acme-corp.com"})
    (finding,) = look_through(more, NOWHERE).findings
    assert finding.replacement not in dumps(once).decode()


def test_a_session_with_nothing_private_stays_as_it_is() -> None:
    session = plain_session()
    redaction = look_through(session)
    assert redaction.findings == () and redact(session, redaction) == session


def test_tools_follow_the_names_of_their_actions() -> None:
    long = "sk-ant-api03-" + "AbCdEfGhIj0123456789" * 4
    names = ("mail ada@acme-corp.com", "mail bob@acme-corp.com", f"rotate {long}")
    variant = written(
        f"Mail ada@acme-corp.com comes before mail bob@acme-corp.com. Rotate {long} follows mail bob@acme-corp.com.",
        names,
    )
    session = Session(id="s", title="t", variants=[variant], runs=[run_of(variant, (0, 1, 2))])
    session.breakpoints.append(f"call {variant.actions[0].tool}")
    made = redact(session, look_through(session, NOWHERE))
    tools = [action.tool for action in made.variants[0].actions]
    assert tools == ["mail_redacted_email_1", "mail_redacted_email_2", "rotate_redacted_anthropic_key_1"]
    assert [e.tool for e in made.runs[0].events if isinstance(e, CallEvent)] == tools
    assert made.breakpoints == ["call mail_redacted_email_1"]
    message = next(e for e in made.runs[0].events if isinstance(e, MessageEvent)).message
    assert message is not None and message["data"]["tool_calls"][0]["name"] == tools[0]
    assert "ada" not in dumps(made).decode()


def test_rules_are_told_apart_and_all_are_tried() -> None:
    rules, near = load_rules()
    kinds = [rule.kind for rule in (*rules, *near) if rule.kind != "named-secret"]
    assert len(kinds) == len(set(kinds)) >= 125
    for rule in rules:
        assert rule.needs and (not rule.folded or all(need == need.lower() for need in rule.needs)), rule.kind


@pytest.mark.parametrize(
    ("text", "secrets"),
    [
        ("password: your_token=sk12345678abc", ["sk12345678abc"]),
        ("export DB_PASS='correct horse' SMTP-PASS: mailbox77", ["correct horse", "mailbox77"]),
        (r'got {"password": "a\"b secret9", "n": 1}', ["secret9"]),
        (r"got {\"password\": \"ab\\\"c secret9\", \"n\": 1}", ["secret9"]),
        ("Enter pass phrase: correct-horse-battery9", ["correct-horse"]),
        ("?token%3Dabcdef12", ["abcdef12"]),
        (r"copied to \\filer-01\share\x", ["filer-01"]),
        (r'{"to": "\\\\filer-01\\share"}', ["filer-01"]),
        ("call +49 (0)170 1234567", ["1234567"]),
    ],
)
def test_what_is_found_in_a_text_by_own_rules(text: str, secrets: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shapes, "_scanner", lambda: None)
        hits = Scanner(NOWHERE).find(text)
    for hit in reversed(hits):
        text = text[: hit.start] + "<>" + text[hit.end :]
    assert not [secret for secret in secrets if secret in text], text


HARD = (
    "sk-", "eyJ", "eyJa.", "password=", 'password: "', "-----BEGIN RSA PRIVATE KEY-----", "https://a:", "http://a@",
    "a@", "a.", "/home/a", "C:\\Users\\a ", "host a.", "aws ", "::", "1.", "x-y.", "\\u0041", "ssh a", "Cookie: a=",
    "machine a login b ", "t1.", "{", "[", '{"a":', "REDACTED_X_1",
    "auth[", "password: {", "token:\n ", "<secret>", "<secret>a</secret", "a,password\n", "credentials a/", "--token ",
    "name=token value=", "value=1 name=token ", "echo abc|", "mysql -p", "[secrets]\na=b\n", "('password', ", "a:*:",
    "(password) values (", "login as a b", "secret=(((", "auth: bearer ", "key\n  input_value=", 'token="',
    "pass for a ",
)  # fmt: skip


@pytest.mark.parametrize("piece", [*HARD[::4], *nightly(*(piece for k, piece in enumerate(HARD) if k % 4))])
def test_hostile_texts_take_no_time(piece: str) -> None:
    text = (piece * 30_000)[:30_000]
    scanner = Scanner(NOWHERE, frozenset({"aaa"}))
    scanner.find("sk-x")  # to load the detectors takes seconds, once a process
    began = time.process_time()
    scanner.find(text)
    assert time.process_time() - began < 2, (
        "it takes more than a tenth of a second where time grows as the text does"
    )
