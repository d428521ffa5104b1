"""Decides which names are names of secrets, in data, text, environment and errors.

It finds parts of words (``PGPASSWORD``, ``dbpass``, ``apiToken``) and knows words that only look similar (``author``,
``secretary``, ``max_tokens``).
"""

from __future__ import annotations

import base64
import json
import os
import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache
from urllib.parse import quote

PLACEHOLDER = re.compile(r"redacted_[a-z0-9_]{1,40}_[0-9]{1,6}", re.IGNORECASE)
"""What stands for a private value in what is shared."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_INSIDE = re.compile(
    "password|passwd|passphrase|passcode|secret|token|apikey|credential|cookie|sharedaccesskey|accountkey|connectionstring"
    "|passwo(?:rt|ert)|kennwo(?:rt|ert)|geheim|zugangsdaten|anmeldedaten|mots?depasse|identifiants|contrasena|credencial|clavesecreta"
)
"""Words that mean a secret anywhere in a name, whatever separates its parts; also in German, French and Spanish."""

FOREIGN = re.compile(
    "passwort|kennwort|mots? de passe|contraseña"
    "|zugangscode|schlüsselwort|psk\\b|wpa_passphrase|phpsessid|jsessionid|asp\\.net_sessionid"
    "|connect\\.sid|hub-signature|cl[ée] (?:api|secr[èe]te|d['\u2019]acc[èe]s)|code d['\u2019 _]?acc[èe]s|jetons?"
    " d['\u2019 _]?acc[èe]s|clave (?:api|secreta|de acceso)|llave secreta"
    "|parola d['\u2019]?ordine|parola chiave|chiave (?:api|segreta|di accesso)|codice di accesso|credenziali|segreto"
    "|senha|palavra-?passe|chave (?:api|secreta|de api|de acesso)|credenciais|segredo"
    "|wachtwoord|toegangscode|inloggegevens|geheime sleutel|api-sleutel|hasł[oa]|haslo|klucz (?:api|tajny"
    "|dostępu)|tajny klucz"
    "|lösenord|lösen|hemlig nyckel|api-nyckel|adgangskode|kodeord|hemmelig nøgle|api-nøgle|salasan[aoi]"
    "|tunnusluku|salainen avain|api-avain"
    "|hesl[oaeu]|tajný klíč|api klíč|jelszó?|jelszav|titkos kulcs|api[- ]kulcs|şifre|parola|gizli anahtar|api anahtar"
    "|парол[ьяюе]|секретный ключ|ключ (?:api|доступа)|api-ключ|токен|密码|密碼|口令|密钥|密鑰|令牌"
    "|パスワード|暗証番号|秘密鍵|合言葉|apiキー|トークン"
    "|비밀번호|암호|비밀 ?키|api ?키|토큰|كلمة (?:المرور|السر|مرور|سر)|الرمز السري|مفتاح (?:api|سري)"
    "|passord|parool|lozink[aeu]|gesl[oau]|slaptažod|lykilorð|contrasenya|nenosiri|kata laluan|mật khẩu|κωδικ[όο]"
    "|συνθηματικό|סיסמה|סיסמא|رمز عبور|گذرواژه|รหัสผ่าน|পাসওয়ার্ড|கடவுச்சொல்"
    "|पासवर्ड|कूटशब्द|गुप्त कुंजी|api कुंजी|kata sandi|kunci (?:api|rahasia)",
    re.IGNORECASE,
)
"""Names of passwords, keys and tokens in other languages, in lower case as they are written."""

_PART = re.compile(
    r"(?:bind|root|db|user|admin|ldap|smtp|mail|pg|sql|app|ftp|wifi|my|manager)?pw|pwd.*|.*pwd|(?!(?:by|com|over|under|tres|sur|im)pass).*pass|o?auth\d?|(?:basic|proxy|http|digest|my|db|user|app)auth"
    r"|.*dsn|authorization|bearer|jwt|otp|cvv|cvc|ssn|pin|pat|creds?|jeton|clave|authkey"
)
"""Words that mean a secret if they are a whole part of a name."""

_INNOCENT = re.compile(
    r"secretar\w*|secretsmanager\w*|secretstorage|tokeni[sz]\w*|authori(?:t|s|ze|zes|zed|zer|zing)\w*|cookiecutter|passwordless|credentialed|detoken\w*"
)
"""Words that contain a word for a secret but do not mean one."""

_BEFORE_KEY = _words(
    """
    api access auth private secret encryption encrypt signing sign master session account shared service app storage
    subscription license licence ssh aws openai openrouter anthropic azure gemini groq mistral cohere stripe deploy
    security crypto hmac webhook client consumer server rsa pgp gpg tls ssl registration identity admin
    """
)
_NO_SECRET_KEY = _words(
    """
    primary foreign sort partition cache public hot index group row dict json registry storage object s3 enter shift
    arrow partial unique map routing idempotency host known color colour
    """
)
_ABOUT = _words(
    """
    count counts type types limit limits url urls uri name names policy policies length usage budget expiry expires
    expiration expired size sizes file files path paths dir field fields label id ids index idx max min details format
    version kind endpoint provider storage at on enabled disabled required sock socket method methods mode status state
    strength age ttl seconds minutes hours days date time rate ring audit training reset resets recipe recipes test
    tests check checks review scheme domain samesite flow flows needed error errors exception request prompt manager
    vote ballot ceremony workshop timeout algorithm alg lifetime expire validator validators validation model backend
    backends header headers prefix suffix param params attempts retries hasher hashers generator rules regex pattern
    cost rounds source issuer audience arn ref reference selector store service handler helper helpers util utils
    factory builder parser lexer stream buffer screen page view form dialog modal component hint placeholder label title
    text icon visibility toggle tooltip message messages uri redirect callback domain secure samesite httponly schema
    column table
    """
)
"""Last words of names that describe a secret but do not hold it."""

_FIRST = _words(
    """
    max min num n next stop pad eos bos unk sep cls mask require requires required has is use uses enable disable no
    redacted count per design color theme unexpected forgot wrong
    """
)
"""First words of names that describe a secret but do not hold it."""

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

_FILE_END = (
    "py|pyi|ts|tsx|js|jsx|mjs|cjs|go|rs|rb|java|kt|php|cs|c|h|cc|cpp|hpp|swift|scala|ex|exs|erl|lua|sh|bash|zsh|ps1|sql|html?|css|scss"
    "|vue|svelte|md|mdx|rst|txt|json|jsonl|ya?ml|toml|ini|cfg|conf|env|lock|xml|csv|log|pem|crt|key|pub|tf|proto|ipynb|png|svg|exe"
)
_STOP_WORDS = (
    "your|you|the|an?|is|are|was|must|not|to|for|of|in|on|at|from|this|that|these|please|enter|field|fields|required|string|strings"
    "|valid|invalid|with|and|or|as|be|has|have|been|will|can|should|could|no|it|its|if|when|by|per|between|than|into|using|was"
)
_SENTENCE = r"(?:[^\W\d]|[\s.,;:'\u2019()\"`!?/-]|\b\d+\b)*"
_NO_VALUE = re.compile(
    # nothing, and what stands for something else
    r"x+|\*+|\.+|-+|_+|•+|=+|\s*<.*>\s*|\[?[\[<(]?(?:redacted|filtered|masked|hidden|removed|omitted|secret"
    r"|sensitive(?: value)?|none|null|empty|snip|blank)[\])>]?"
    r"|\$\{.*|\$\(.*|\$[a-z_]\w*|%[a-z_]+%|%\{.*\}|%\(\w+\)s|%[sdr]|\{.*|#\{.*|@\w+@|:[a-z_]+"
    r"|(?:bearer|basic|token|digest)\s+(?:[<{$*%\[(].*|x+|\.+|token|\w+_token|authentication|realm\b.*|auth|scheme|header)|.*\{\{.*|.*\$\{.*\}.*|.*\{\w{0,20}(?:token|key|pass\w*|secret)\w{0,9}\}.*"
    r"|(?:your|my|our|the|some|any|a|new|old|test|fake|dummy|mock|sample|demo|example|invalid|wrong|bad|expired|missing|foo|bar|this|user|raw|current"
    r"|hashed|encrypted|plain|default|correct|valid)?[-_ ]?(?:api|access|auth|refresh|secret|private|client"
    r"|user|db|admin|new|old|session|bearer|id|csrf)?[-_ ]?"
    r"(?:tokens?|keys?|passw(?:or)?ds?|pwd|secrets?|pass|passphrase|credentials?|creds|auth|cookies?|value"
    r"|here|code|pin|apikey)(?:[-_ ](?:here|value|string|\d))?"
    r"|your[-_ ].*|change[-_ ]?(?:me|this|it).*|replace[-_ ]?(?:me|with).*|todo|tbd|placeholder|dummy|fake"
    r"|foo|bar|baz|test|testing|foobared|public|amd64|arm64|i386|x86_64|armhf|.*\.\*.*|#[0-9a-f]{3,8}"
    # words of programs
    r"|none|null|nil|true|false|undefined|nan|n/?a|yes\)?|no|example|str|string|int|integer|float|number|bytes|object|bool|boolean|any|unknown|void|never|list"
    r"|dict|array|optional|required|missing|invalid|expired|wrong|empty|bearer|basic|digest|field|secretstr|await|async|new|function|return|const|let"
    r"|lambda|typeof|self|this|super|class|import|from|not|set|unset|too|the|here|disabled|enabled|oauth2?|us(?:er|ing)|default|include|same-origin|omit"
    r"|.*\bos\.environ.*|.*\b(?:process|import\.meta)\.env\b.*|optional\[.*|.*getenv.*|getpass\.getpass.*|(?:self|args|settings|config|this|req|request|response|props|data|ctx|var|local|module|env|opts|options|params|form|body|state|user)\.[_\w.?!]+"
    r"|[A-Za-z_][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][A-Za-z_$]*){1,9}|(?:[a-z_]{3,}\.){2,}\w+"
    r"|(?-i:[A-Z]\w*\.[A-Z_0-9]+|[a-z]+:[A-Z][A-Za-z]+\*?|[A-Z]\w*\[[\w., |]*\])"
    r"|(?-i:(?:Big)?U?[Ii]nt[0-9]{1,3}(?:Clamped)?(?:Array)?|Float[0-9]{2}(?:Array)?|[ui](?:8|16|32|64|128)"
    r"|(?:[A-Z]\w*::)*[A-Z]\w*(?:<[\w:, &<>'\[\]]*>|\[\]))"
    r"|[\[<({]{1,2}(?:your|my|insert|enter|the|api|token|secret|password|add)[\w -]*[\])>}]{1,2}"
    r"|(?-i:\[[A-Z][A-Z_ -]+\])"
    # versions, times, counts, checksums
    r"|(?:[\^~<>=! ]{1,3}\s?|v|[A-Z]+/)\d[\w.*+-]*|\d+(?:\.(?:\d+|x|\*))+(?:[-+][\w.+-]*)?"
    r"|\d{4}-\d\d-\d\d.*|\d+(?::\d+)+|[\d.,]*\d\s?(?:k|ms|s|m|h|d|kb|mb|gb|px|r?em|%)"
    r"|sha(?:1|256|384|512)-[A-Za-z0-9+/=]{20,}|sha256:.*|[rhep]s(?:256|384|512)|ed25519|(?:aes|rsa|sha|md"
    r"|utf|x?chacha)-?\d+(?:[-_ /]\w+)*|![a-z]+(?:\s\|)?"
    r"|(?:required|nullable|string)(?:\|[\w:]+)+|scram-.*|/.+/[gimsuy]{0,6}|test\d{0,4}|.*(?:\.{3}|\u2026)"
    r"|.*<[a-z_ -]{2,30}>.*"
    # paths, files and addresses without a login
    r"|0x[0-9a-f]{1,8}|#/[\w$/.-]+|(?:##|[\u2581\u0120])\w*"
    r"|(?:~|\.{1,2}|[A-Za-z]:)?(?:[/\\]{1,2}[\w.@-]+){2,}[/\\]*(?::\d+){0,2}|(?:~|\.{1,2})?/[a-z._-]*|(?:[\w@.-]+/)*[\w@.-]+\.(?:"
    + _FILE_END
    + r")(?::\d+)*|[a-z_.@-]+(?:/[a-z_.@-]+)+/?"
    r"|[a-z][a-z0-9+.-]*://(?![^\s/]*@|[^\s]*hooks?\.|[^\s]*[?&#])\S*|node scripts/.*"
    # prompts and sentences
    r"|[^\W\d]+(?:[ '\u2019-][^\W\d]+){0,12}\s?[:?.!\u2026>]+\s*|(?=.*\s)"
    + _SENTENCE
    + r"\b(?:"
    + _STOP_WORDS
    + r")\b"
    + _SENTENCE
    + r"|redacted_[a-z0-9_]+|.{0,2}",
    re.IGNORECASE | re.DOTALL,
)
"""Texts in place of a value that are no secret: placeholders, templates, code, paths, versions, prompts."""

FILE_NAME = re.compile(r".*\w\.(?:" + _FILE_END + r")", re.IGNORECASE)
"""The name of a file, after which a colon announces a line and not a value."""

_WORD = re.compile(r"[^\W\d_]+|[A-Za-z]+(?:[-_ .][A-Za-z]+)+")
"""One word, or several without a digit."""

_PASSWORD = re.compile(
    r"passw|passphrase|passcode|pwd"
    r"|(?<![a-z])(?:bind|root|db|user|admin|ldap|smtp|mail|pg|sql|app|ftp|wifi|my|manager)?pw(?![a-z])"
    r"|[\w-]pass\b|kennwo|contrase|mots? ?de ?passe",
    re.IGNORECASE,
)


@lru_cache(maxsize=20_000)
def names_secret(name: str) -> bool:
    """Return whether the value of a name (a key, a variable, an option, a header) is a secret."""
    parts = name_parts(name)
    if parts[-2:] == ["secret", "id"] or (not name.isascii() and FOREIGN.search(name)):
        return True
    if not parts or parts[-1] in _ABOUT or parts[0] in _FIRST:
        return False
    whole = "".join("" if _INNOCENT.fullmatch(part) else part for part in parts)
    if FOREIGN.search(name) or _INSIDE.search(whole) or any(_PART.fullmatch(part) for part in parts):
        return True
    return any(_is_key(name, parts, n) for n, part in enumerate(parts) if part.endswith(("key", "keys")))


def is_count(name: str, value: str) -> bool:
    """Return whether the value is a number of tokens of a text, and not a secret token."""
    if re.fullmatch(r"[\d.,_]+", value) is None:
        return False
    return "tokens" in name.lower() or ("token" in name.lower() and len(value) < 6) or len(value) < 3


@lru_cache(maxsize=20_000)
def is_value(text: str) -> bool:
    """Return whether a text can be a secret: it is no placeholder, code, path, version or sentence, and no word about
    a secret."""
    return _NO_VALUE.fullmatch(text[:_LONGEST].strip()) is None


_LONGEST = 1_000
"""The number of characters by which a value is judged."""


def holds_secret(name: str, value: str) -> bool:
    """Return whether the value of a name can be the secret that the name says it is.

    A word or a name is the value only of what is called a password, and only if it is no ordinary word of programs.
    """
    if is_chosen(value):
        return is_password(name) or _HOLDS_PHRASE.search(name) is not None
    if re.fullmatch(r"[^\d]* [^\d]*", value) and (FOREIGN.search(value) or _INSIDE.search(value.lower())):
        return False  # a label, or a sentence about passwords
    if not is_value(value) or is_count(name, value):
        return False
    if _PIN.fullmatch(name):
        return value.isdigit() and 3 <= len(value) <= 8
    if value.isalpha() and value.isascii() and len(value) >= 24:
        return True  # no language has such words
    if _WORD.fullmatch(value):
        compound = (
            len(value) >= 10
            and value.replace("-", "").isalpha()
            and len(name_parts(name)) > 1
            and "secret" in name.lower()
        )
        return (
            (is_password(name) or compound)
            and len(value) >= 4
            and not names_secret(value)
            and value.lower() not in _ORDINARY
        )
    return len(value) >= 3


def is_password(name: str) -> bool:
    """Return whether a name says password or passphrase, whose value people choose."""
    return _PASSWORD.search(name) is not None or FOREIGN.search(name) is not None


def is_chosen(value: str) -> bool:
    """Return whether a value is one that people choose as a password although it looks like a text or like code: a few
    words that do not speak of a password, also joined by hyphens or dots (``oat.milk.forever``), or one word with a
    sign of an exclamation (``eineKatze!``). A dotted one does not begin as code does (``config.user``)."""
    if not _CHOSEN.fullmatch(value) or ("-" in value and not is_value(value)):
        return False
    if is_dotted(value) and (value.partition(".")[0].lower() in _ROOTS or FILE_NAME.fullmatch(value)):
        return False
    if _INSIDE.search(value.lower()) or FOREIGN.search(value):
        return False
    shortest = 4 if "-" in value else 1
    return _SAID.isdisjoint(w for w in re.split(r"[\W\d_]+", value.lower()) if len(w) >= shortest)


_CHOSEN = re.compile(
    r"[a-zß-ÿ][a-zß-ÿ'\u2019]{0,20}(?: [A-Za-zÀ-ÿ][a-zß-ÿ'\u2019]{0,20}){1,9}"
    r"|[^\W\d_][^\W_]{1,20}(?:\.[^\W\d_][^\W_]{1,20}){0,4}\.(?:[^\W\d_][^\W_]{1,20}|[0-9]{1,6})"
    r"|[^\W\d_]{2,20}(?:-[^\W\d_]{2,20}){1,9}|[^\W\d_]{6,40}[!?]{1,3}"
)
_ROOTS = _words(
    """
    self this super cls config configs cfg conf settings setting os sys process env environ environment args argv kwargs
    req request res resp response props options opts params data user users credentials creds cred auth ctx context var
    vars local locals module state form body app application window document session db database client server account
    values value node event evt input inputs field fields schema schemas models model types typing std java javax kotlin
    org com net io www github http https faker fake random string strings str math json yaml toml crypto base64
    bcrypt hashlib utils util helper helpers service services common core api http page row rows item items obj object
    result results rest msg message messages event current default defaults new old test tests lib pkg internal each
    local github inputs secrets steps matrix needs runner vault node pm cy spring quarkus spec metadata status z
    joi yup v t i18n pydantic np pd tf torch key keys file files k8s
    """
)
"""How an expression begins (``config.user``), a name of Java or of a translation."""


def is_dotted(value: str) -> bool:
    """Return whether a value is words that dots join, as in code and in some passwords."""
    return re.fullmatch(r"[^\W\d]\w*(?:\.\w+)+", value) is not None


_HOLDS_PHRASE = re.compile(
    r"(?i:secret|(?:secret|encryption|signing|master|hmac|crypto)[ _.-]?keys?|phrase)\Z|\A(?i:pass|pw)\Z"
)
"""Names of secrets that are no passwords, but hold words as well."""

_SAID = _words(
    """
    access account accepted add admin again all api app are as be been browse can cannot change changed characters
    client code config configured confirm could current database default does don't email empty encrypted enter env
    environment error example expired failed faker field for forgot from generated get given hash hashed hidden hide
    if incorrect input internet invalid it key length letters log login manager match matches max min mismatch missing
    must my name no not ok only optional or per please provided random read redacted repeat required reset
    rotated sample see server set settings should show sign signed stored string text that these this to too type unset
    updated use used user username using valid value values via was weak
    basic factor current min max hint auto none least first time self dev ci local only
    vault docker native ldap saml oidc sso unused import
    text field form reset flow page policy manager store when where will without would wrong you your
    yet doit être debe deve moet muss sein mindestens erforderlich ungültig falsch requis obligatorio
    """
)
"""Words of texts about passwords."""


_PIN = re.compile(r"(?i:pins?|cvv|cvc)")
_ORDINARY = _words(
    """
    accepted changed updated hidden visible shown stored saved hashed encrypted strong weak short login logout reset
    forgot forgotten prompt input field label title text email username number confirm confirmed confirmation hash
    hashes local remote admin guest anonymous first second third valid never always random generate generated create
    created strict loose stdin file prompted interactive managed rotated rotation policy rejected denied protected
    secure insecure plain password-reset password-field configuration development production placeholder staging testing
    environment
    application credentials bcrypt argon scrypt sha string format write
    """
)
"""Words in place of a password that describe it."""

PROGRAM_WORDS = _ABOUT | _FIRST | _SAID | _ORDINARY
"""Words of programs and of what they print, which are nobody's name."""


def environment_secrets(environment: Mapping[str, str] | None = None) -> tuple[tuple[str, str], ...]:
    """Return name and value of every secret in an environment (by default of this process), the longest value first.

    The password in a login or a URL, and each line of a key, are also secrets of their own.
    """
    found = os.environ if environment is None else environment
    told: dict[str, str] = {}
    for name, value in sorted(found.items()):
        if _is_secret(name, value):
            parts = re.findall(r"://[^\s/:@]*:([^\s/@]{5,})@", value) + re.findall(
                r"\A[\w.@-]{1,60}:(?!//)(\S{6,})\Z", value
            )
            lines = [line for line in value.splitlines() if len(line) >= 8 and not line.startswith("-----")]
            for part in (value, *parts, *lines):
                told.setdefault(part, name)
    return tuple((name, value) for value, name in sorted(told.items(), key=lambda one: -len(one[0])))


def places_of(text: str, value: str) -> Iterator[tuple[int, int]]:
    """Return the ranges of a secret value in a text: as it is, escaped, or within base64 (then the range of all the
    base64)."""
    edged = value.isalnum() and len(value) < 16
    for spelling in dict.fromkeys((value, quote(value, safe=""), json.dumps(value)[1:-1], repr(value)[1:-1])):
        yield from standing(text, spelling, edged)
    for piece in _in_base64(value):
        for start, end in standing(text, piece, False):
            left = re.search(r"[A-Za-z0-9+/_-]*\Z", text[:start])
            right = re.compile(r"[A-Za-z0-9+/_-]*={0,2}").match(text, end)
            yield (left.start() if left else start), (right.end() if right else end)


def without_secrets(text: str, environment: Mapping[str, str] | None = None) -> str:
    """Replace every secret value of the environment, also in base64, by ``[secret]``."""
    for _, value in environment_secrets(environment):
        for start, end in sorted(set(places_of(text, value)), reverse=True):
            if start < len(text):
                text = f"{text[:start]}[secret]{text[end:]}"
    return text


def name_parts(name: str) -> list[str]:
    """Split a name into words in lower case, without accents and numbers: ``dbPass_2`` is db, pass."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", name[:200]) if not unicodedata.combining(c))
    return [w for w in re.split(r"[^a-z]+", _CAMEL.sub("_", plain).lower()) if w]


def _is_key(name: str, parts: list[str], n: int) -> bool:
    """Return whether the part is a secret key (``api_key``, ``OPENAIKEY``). In capitals almost every key counts."""
    before = parts[n].removesuffix("s").removesuffix("key") or (parts[n - 1] if n else "")
    if not before or before in _NO_SECRET_KEY:
        return False
    if before in _BEFORE_KEY or before.endswith(("api", "secret", "private", "access")):
        return True
    glued = parts[n] in ("key", "keys")
    return glued and n == len(parts) - 1 and name.isupper() and parts[n] == "key"


def _is_secret(name: str, value: str) -> bool:
    """Return whether a value is a secret: no path, option or common word, and a URL only if it contains a login."""
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", value):
        login = "@" in value or "hooks." in value
        return login and (
            names_secret(name) or re.search(r"url$|uri$|connection|webhook", name, re.I) is not None
        )
    if not names_secret(name) or len(value) < 6 or not is_value(value):
        return False
    if value.isdigit() or re.fullmatch(r"[~.]?(?:/[A-Za-z0-9._-]+){2,}/?|[A-Za-z]:\\.*|-\S*", value):
        return False
    if value.isalpha() and (value.islower() or value.isupper()):
        return len(value) >= 8
    return True


def standing(text: str, value: str, edged: bool) -> Iterator[tuple[int, int]]:
    """Return the ranges of a value in a text. ``edged``: only where it is a word of its own."""
    start = text.find(value) if value else -1
    while start >= 0:
        end = start + len(value)
        if not edged or not (_in_word(text[start - 1 : start]) or _in_word(text[end : end + 1])):
            yield start, end
        start = text.find(value, end)


def _in_word(character: str) -> bool:
    return character.isalnum() or character in ("_", "-")


@lru_cache(maxsize=200)
def _in_base64(value: str) -> tuple[str, ...]:
    """Return the characters that base64 of any text around the value must contain, for each of the three alignments."""
    raw = value.encode(errors="replace")
    found = []
    for before in range(3):
        letters = base64.b64encode(b"\0" * before + raw).decode()
        piece = letters[(0, 2, 3)[before] : (before + len(raw)) * 8 // 6]
        if len(piece) >= 7:
            found += [piece, piece.replace("+", "-").replace("/", "_")]
    return tuple(dict.fromkeys(found))
