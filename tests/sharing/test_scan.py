"""What is called a secret, what can be one, and exactly where it stands in a text."""

from __future__ import annotations

import base64

import pytest

from planscope.safe.secret_names import (
    environment_secrets,
    is_count,
    is_value,
    names_secret,
    places_of,
    without_secrets,
)
from planscope.sharing.redact import shapes
from planscope.sharing.redact.hits import Hit, beside_settled, is_telling, settle
from planscope.sharing.redact.people import users_in
from planscope.sharing.redact.scan import Scanner, Surroundings, scanner_for
from planscope.sharing.redact.spellings import Matcher, tool_spelling
from planscope.sharing.redact.walk import what_lists_tell, what_pairs_tell

NOWHERE = Surroundings()


@pytest.fixture(autouse=True)
def own_rules_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    scanner_for.cache_clear()
    monkeypatch.setattr(shapes, "_scanner", lambda: None)


SECRET = """
password passwd pwd passphrase passcode secret token apikey auth credential dsn cookie dbpassword
PGPASSWORD OPENAIKEY apitoken userPwd pwd_old dbPass dbpass DB_PASS pass basicauth proxy_auth oauth
authorization Authorization SENTRY_DSN mainDsn set-cookie SESSION_COOKIE tokens secrets credentials
passwords api_keys API-KEY x-api-key privateKey ssh_key signing_key STRIPE_KEY MY_OWN_KEY accountKey
SharedAccessKey connection_string refresh_token TOKEN_2 password_old db.password.primary
secretOfTheDoor secret_id jwt pin otp ssn pat creds bearer Passwort kennwort Kennwoerter Geheimnis
zugangsdaten mot_de_passe motsDePasse jeton contraseña CONTRASEÑA clave credenciales identifiants
mysqlRootPasswd --api-token -password auth0 pw reset_token
"""
PLAIN = """
heron_key idempotency_key heronKey
author authors authority authorized authoritative secretary secretariat tokenizer tokenize
tokenization key keys keyboard monkey turkey primary_key sort_key foreign_key public_key cache_key
token_count token_type token_limit max_tokens min_password_length num_tokens next_token pad_token_id
require_password has_token is_secret password_policy password_file cookie_name secret_path
auth_method auth_url passage passenger bypass compass pin_count spin opinion option spat path name
user x 1 _ authenticated authentication REDACTED_API_KEY_1 redacted_token hotkey HOST_KEY PUBLIC_KEY
PRIMARY_KEY HOTKEY stop_token cookies_enabled password_audit token_ring secret_vote KEY
SSH_AUTH_SOCK disable_auth cookiecutter
"""


def test_names() -> None:
    assert [name for name in SECRET.split() if not names_secret(name)] == []
    assert [name for name in PLAIN.split() if names_secret(name)] == []
    assert not names_secret("")


def test_values() -> None:
    plain = """
    none None null TRUE false *** xxx ... --- <token> <your_key> ${X} $TOKEN $(cat) %PASS% {token} your-
    key my-token changeme change-me string str required invalid Bearer os.environ["X"] getenv("X")
    REDACTED_X_1 [secret] [REDACTED] password secret token key 12 ab hidden (hidden) oauth2
    Optional[str] settings.key self._token default undefined n/a my-tokens
    """
    assert [v for v in plain.split() if is_value(v)] == []
    kept = "heron quiet-lake 123 abc tr0ub4dor Bearer2 xyz $a.b nothing keyring p@ss yes-no secret7"
    assert [v for v in kept.split() if not is_value(v)] == []
    assert not is_value("  none  ") and not is_value("")


@pytest.mark.parametrize(
    ("name", "value", "count"),
    [
        ("tokens", "123456789", True),
        ("max_tokens", "1,204", True),
        ("tokens_per_second", "48.5", True),
        ("token", "51234", True),
        ("token", "512345", False),
        ("token", "5a", False),
        ("password", "123", False),
        ("pin", "12", True),
        ("pin", "1234", False),
    ],
)
def test_counts(name: str, value: str, count: bool) -> None:
    assert is_count(name, value) == count


def test_the_environment() -> None:
    found = environment_secrets(
        {
            "DB_PASS": "heronx",
            "DB_PASS_A": "herons77",
            "DB_PASS_B": "abcdefgh",
            "DB_PASS_C": "abcdefg",
            "X_TOKEN": "ab1de",
            "Y_TOKEN": "ab1def",
            "N_TOKEN": "12345678",
            "PATH_TOKEN": "/usr/lib/x",
            "SLASH_TOKEN": "/ab+cd12",
            "SWITCH_TOKEN": "-Rabc1",
            "API_URL": "https://joe:rain-77@h/x",
            "DOCS_URL": "https://h/x@y",
            "PLAIN": "https://joe:rain-88@h/x",
            "HOOK_URL": "https://hooks.h/abc",
            "MY_DSN": "https://h/x",
            "Q_AUTH": "joe:heron-9",
            "HOME": "/home/joe",
            "ID_KEY": "-----BEGIN X-----\nlineone1\nline2",
        }
    )
    assert {(name, value) for name, value in found} == {
        ("DB_PASS_A", "herons77"),
        ("DB_PASS_B", "abcdefgh"),
        ("Y_TOKEN", "ab1def"),
        ("SLASH_TOKEN", "/ab+cd12"),
        ("API_URL", "https://joe:rain-77@h/x"),
        ("API_URL", "rain-77"),
        ("DOCS_URL", "https://h/x@y"),
        ("HOOK_URL", "https://hooks.h/abc"),
        ("Q_AUTH", "joe:heron-9"),
        ("Q_AUTH", "heron-9"),
        ("ID_KEY", "-----BEGIN X-----\nlineone1\nline2"),
        ("ID_KEY", "lineone1"),
    }
    assert [len(value) for _, value in found] == sorted((len(value) for _, value in found), reverse=True)


@pytest.mark.parametrize("before", ["", "a", "ab", "abc", "abcd"])
@pytest.mark.parametrize("after", ["", "z", "yz"])
def test_base64_of_a_value_is_found_wherever_it_begins(before: str, after: str) -> None:
    made = base64.b64encode(f"{before}rain/over+77{after}".encode()).decode()
    for letters in (made, made.replace("+", "-").replace("/", "_")):
        text = f"got {letters} back"
        assert {text[a:b] for a, b in places_of(text, "rain/over+77")} == {letters}
        assert without_secrets(text, {"X_TOKEN": "rain/over+77"}) == "got [secret] back"


def test_a_short_value_is_a_word_of_its_own() -> None:
    assert [*places_of("heron7 heron77 xheron7 _heron7 heron7- (heron7)", "heron7")] == [(0, 6), (40, 46)]
    long = "abcdefgh12345678"
    assert [*places_of(f"x{long}y", long)] == [(1, 17)]
    assert [*places_of("rain%2Fover rain\\u00e9 'a\\\\b'", "rain/over")] == [(0, 11)]


def found(text: str, **options: str) -> list[str]:
    return [text[h.start : h.end] for h in Scanner(NOWHERE).find(text, **options) if h.kind == "named-secret"]


V = "quiet-heron7"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (f"password={V};x=1", [V]),
        (f"password={V}&user=joe", [V]),
        (f"password={V}&more", [f"{V}&more"]),
        (f"password: {V}.", [V]),
        (f"password: {V}, x", [V]),
        (f"a_token => '{V}' x", [V]),
        (f'{{"token":"{V}","n":1}}', [V]),
        (f'token = """{V} b"""', [f"{V} b"]),
        (f"secret='{V} and more'", [f"{V} and more"]),
        (f"secret=`{V}`", [V]),
        (r"password: \"quiet\" x", ["quiet"]),
        (f'password: {{"first": "{V}"', [V]),
        (f"secrets = ['{V}', 'rain-88'", [V, "rain-88"]),
        ("token=abc", []),
        ("password=abc", []),
        ("password=abcd", ["abcd"]),
        ("token=abcd", []),
        ("token: abcd", []),
        ("password: abcd", []),
        ("token: Abcd", []),
        ("token: aBcd", []),
        ("token: abc1", ["abc1"]),
        ("password: abc", []),
        ("the password is quiet", []),
        ("the password is a-b7", []),
        ("the password is a-b77", ["a-b77"]),
        ("the token was abcde1", ["abcde1"]),
        ("the password is McDonald", []),
        ("token a7b7c", []),
        ("token a7b7cz", ["a7b7cz"]),
        ("docker login -u joe -p ${PASS} r", []),
        ("docker login -u joe -p rain r", ["rain"]),
        ("redis-cli -a <password>", []),
        ("the password is the one from before", []),
        ("password for joe: rain77", ["rain77"]),
        ("token herons-77", ["herons-77"]),
        ("token rai77", []),
        ("token 2024-01-01", []),
        ("token v1.2.3 file.py abc12", []),
        ("token check7(a)", []),
        ("token a=bcd77", []),
        ("--token rain", ["rain"]),
        ("--token -v", []),
        ("--token --verbose", []),
        ("--token TOKEN", []),
        ("--auth joe:rain", ["rain"]),
        ("--token=rain", ["rain"]),
        ("['--api-key', 'rain']", ["rain"]),
        ("os.environ['API_TOKEN'] = 'rain7'", ["rain7"]),
        ("setdefault('API_TOKEN', 'rain7')", ["rain7"]),
        ("('token', 'rain')", []),
        ("auth=self.token", []),
        ("auth=config.db.password", []),
        ("auth=config.db.heron", []),
        ("auth=HTTPBasicAuth('joe', 'rain7')", ["rain7"]),
        ("auth=('joe', 'rain7')", ["rain7"]),
        ("token=load_it('rain7')", []),
        ("PASSWORD('rain')", ["rain"]),
        ("get_secret('rain')", []),
        ("auth: {user: joe7, 'x': rain7} and 'other7'", ["joe7", "rain7"]),
        ("tokens: ['rain7', [\"snow7\", 'cat']] 'x77'", ["rain7", "snow7"]),
        ("password={rain_7}", ["rain_7"]),
        ("password={password}", []),
        ("password:\n  rain7 x\nother: snow7", []),
        ("password:\n  - rain7\n  - user: snow7\nother: wind7", ["rain7", "snow7"]),
        ("  secrets:\n  - rain7\n  other: wind7", ["rain7"]),
        ("password: |\n  rain\n  snow\nwind: x", ["rain", "snow"]),
        ("password: |\n  one two three four\n", ["one two three four"]),
        ("password: |\n  One two three four\n", []),
        ("comment: |\n  one two three four\n", []),
        ("[secrets]\na = 'rain'\n[other]\nb = 'snow'", ["rain"]),
        ("<secret>rain</secret><x>snow</x>", ["rain"]),
        ("<a name='token'>rain</a>", ["rain"]),
        ("<a name='other'>rain</a>", []),
        ("<a password='rain'/>snow", ["rain"]),
        ("{'name': 'API_TOKEN', 'value': 'rain', 'x': 'snow'}", ["rain"]),
        ("{'value': 'rain', 'name': 'API_TOKEN'}", ["rain"]),
        ("{'name': 'API_TOKEN'}, {'value': 'snow'}", []),
        ("{'value': 'snow'}, {'name': 'API_TOKEN'}", []),
        ("{'name': 'API_TOKEN', 'name': 'other', 'value': 'snow'}", []),
        ("user,password\njoe,rain\nann,snow\n\njoe,wind", ["rain", "snow"]),
        ("user,password\njoe,rain,1", []),
        ("|user|token|\n|---|---|\n|joe|rain7|", ["rain7"]),
        (
            "| user | token |\n+------+-------+\n| joe | rain7 |\n+---+---+\n| ann | snow7 |",
            ["rain7", "snow7"],
        ),
        ("token;user\n;\nrain7;joe", ["rain7"]),
        ("user\ttoken\njoe\train7\njoe;wind7\njoe\twind7", ["rain7"]),
        ("token,user\nrain7,joe", ["rain7"]),
        ("token,user", []),
        ("a line, token\n\njoe, rain", []),
        ("we hand out passwords, tokens\nand keys, too", []),
        ("insert into u (name, password) values ('joe', 'rain')", ["rain"]),
        ("credentials: joe / rain7", ["rain7"]),
        ("log in as joe / operator", []),
        ("log in as joe with rain7!", ["rain7"]),
        ("log in at 12:30 / room7", []),
        ("Cookie: a=bcdefgh; b=ijklmnop", []),
        ("input_value='rain7'", []),
        ("api_token\n  Input is bad [input_value='rain7']", ["rain7"]),
        ("authorization: Bearer rain7777", ["rain7777"]),
        ("key=value token_count: 512 total_tokens: 1204", []),
    ],
)
def test_exactly_what_a_text_names_is_found(text: str, values: list[str]) -> None:
    assert found(text) == values
    assert found(f"Then: {text}") == values or "\n" in text or text.startswith("<")


def test_of_a_cookie_that_is_set_what_follows_is_no_secret() -> None:
    text = "Set-Cookie: sid=abcdef7; Path=/somewhere; SameSite=Strictly"
    assert [text[h.start : h.end] for h in Scanner(NOWHERE).find(text)] == ["abcdef7"]
    text = "Cookie: sid=abcdef7; other=ghijkl8"
    assert [text[h.start : h.end] for h in Scanner(NOWHERE).find(text)] == ["abcdef7", "ghijkl8"]


def test_what_another_value_hides_is_found_when_that_is_covered() -> None:
    text = "password=rainy-over-sea; snow77xyz more"
    around = Surroundings((("X_TOKEN", "over-sea; snow77xyz"),))
    hits = Scanner(around).find(text)
    assert [(text[h.start : h.end], h.kind) for h in hits] == [
        ("rainy-", "named-secret"),
        ("over-sea; snow77xyz", "environment"),
    ]


def test_a_key_says_what_its_value_is() -> None:
    assert found("rain", named="password") == ["rain"]
    assert found("  rain ", named="password") == ["rain"]
    assert found("rain", named="user_name") == []
    assert found("ra", named="password") == []
    assert found("512", named="tokens") == [] and found("512", named="password") == ["512"]
    assert found("rain", lead="--token ") == ["rain"]
    (user, password) = Scanner(NOWHERE).find("joe:rain7", lead="curl -u ")
    assert (user.kind, *password[:3]) == ("user-name", 4, 9, "curl-login")
    assert [h.kind for h in Scanner(NOWHERE).find("db-1", named="host")] == ["host"]


def test_what_pairs_and_lists_tell() -> None:
    assert what_pairs_tell({"name": "TOKEN", "value": 1, "x": 2, "default": 3}) == {
        "value": "TOKEN",
        "default": "TOKEN",
    }
    assert what_pairs_tell({"name": "user", "value": 1}) == {}
    assert what_pairs_tell({"other": "TOKEN", "value": 1}) == {}
    assert what_pairs_tell({"name": "t" * 78 + "token", "value": 1}) == {}
    assert what_pairs_tell({"token": "a", "logprob": -1}) == {"token": ""}
    assert what_lists_tell(["password", "rain7"]) == {1: ("password", "")}
    assert what_lists_tell(["password", "rain"]) == {}
    assert what_lists_tell(["password", "rain7", "x"]) == {}
    assert what_lists_tell(["x", "--token", "rain"]) == {2: ("--token", "")}
    assert what_lists_tell(["x", "--token=a", "rain"]) == {2: ("", "x --token=a ")}
    assert what_lists_tell(["a", "-p", "b", "--x"]) == {1: ("", "a "), 2: ("", "a -p ")}
    assert what_lists_tell([]) == what_lists_tell(["-x"]) == what_lists_tell([1, "-x"]) == {}


def test_which_secrets_are_looked_for_elsewhere() -> None:
    assert [v for v in ("rain-777", "1234567890", "Rain7777") if not is_telling(v)] == []
    assert [
        v for v in ("rain-77", "123456789", "a" * 40, "Swordfish", "HERONLAKE", "Password: ") if is_telling(v)
    ] == []


def test_which_of_several_is_meant() -> None:
    small, large, beside = Hit(4, 8, "a", "", 0), Hit(2, 10, "b", "", 1), Hit(8, 12, "c", "", 1)
    assert settle([small, beside]) == [small, beside]
    assert settle([small, large]) == [large]
    assert settle([small, large._replace(rank=2)]) == [small]
    assert settle([large, beside]) == [large]
    assert [*beside_settled(Hit(0, 20, "a", ""), [(6, 10)])] == [Hit(0, 6, "a", ""), Hit(10, 20, "a", "")]
    assert [*beside_settled(Hit(0, 15, "a", ""), [(5, 10)])] == []
    assert [*beside_settled(Hit(12, 15, "a", ""), [(5, 10)])] == [Hit(12, 15, "a", "")]


def test_a_short_name_of_a_tool_is_not_looked_for() -> None:
    assert [tool_spelling(text) for text in ("ab cdefg", "ab cdef", "abcdefgh", "ab_cdefg")] == [
        "ab_cdefg",
        None,
        None,
        None,
    ]


def test_a_tools_name_spells_a_value_of_eight_characters() -> None:
    assert [
        tool_spelling(one) for one in ("Ada Love", "Ada Lov", "ada_love", "Adalovel", "Ada Lovelace")
    ] == [
        "ada_love",
        None,
        None,
        None,
        "ada_lovelace",
    ]


def test_the_longest_known_text_is_found_at_each_place() -> None:
    found = Matcher(dict.fromkeys(("anna", "anna lee", "nnnn")))
    assert list(found.find("Anna Lee and ANNA, annnnnn")) == [
        (0, 8, "anna lee"),
        (13, 17, "anna"),
        (20, 24, "nnnn"),
    ]
    words = Matcher({"anna": "", "anna lee": None})
    assert list(words.find("anna lee, annas, anna")) == [(0, 8, "anna lee"), (17, 21, "anna")]
    assert list(words.find("an anna is")) == [(3, 7, "anna")] and list(words.find("xanna annax")) == []
    assert (
        list(words.find("my_anna")) == [(3, 7, "anna")] and list(Matcher({"anna": "_"}).find("my_anna")) == []
    )
    names = Matcher({"get_anna": "_-"})
    assert list(names.find("a get_anna b")) == [(2, 10, "get_anna")]
    assert [list(names.find(one)) for one in ("x_get_anna", "get_anna-2", "get_annas")] == [[], [], []]
    many = Matcher({f"name {k}": None for k in range(400)})
    assert list(many.find("xx name 399")) == [(3, 11, "name 399")] and list(many.find("nobody")) == []


def test_a_user_is_found_once_at_each_place_by_the_longest_name() -> None:
    users = frozenset({"anna", "lee.anna", "anna-lee"})
    texts = {
        "lee.anna@host": ["lee.anna"],
        "xlee.anna@host": [],
        "see anna@h, anna-lee@h": ["anna", "anna-lee"],
        "@anna, nobody@h": [],
        "anna@": ["anna"],
        "/home/anna-lee/x and /home/anna": ["anna-lee", "anna"],
        "/home/annas/x": [],
        "user = anna-lee, user: anna": ["anna-lee", "anna"],
        "user = annas": [],
    }
    assert {text: [text[a:b] for a, b in users_in(text, users)] for text in texts} == texts


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("4111111111111111", True),
        ("4111111111111112", False),
        ("5500000000000004", True),
        ("1000000000000008", False),
        ("2222222222222224", True),
        ("7000000000000007", False),
        ("4242-4242-4242-4242", True),
        ("6011 0000 0000 0004", True),
    ],
)
def test_a_card_has_its_check_digit(text: str, found: bool) -> None:
    assert any(hit.kind == "card" for hit in Scanner(NOWHERE).find(f"paid by {text}.")) is found
