"""Finds what identifies a person or a machine: mail, home directories, users, phones, cards, accounts, hosts,
addresses."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from planscope.safe.secret_names import FILE_NAME, PROGRAM_WORDS, is_value, names_secret
from planscope.sharing.redact import labels
from planscope.sharing.redact.hits import HOST, PERSONAL, Hit, Match, Span, data, words

_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_HOST = rf"(?P<host>{_LABEL}(?:\.{_LABEL}){{0,9}})"
_IN_ADDRESS = re.compile(
    r"(?<![A-Za-z0-9])(?!(?:op|s3|gs|npm|pkg|docker|oci|vault|secret|res|asset|content|chrome|vscode|webpack|node"
    r"|app|memory|fixture|mock|test|file):)[A-Za-z][A-Za-z0-9+.-]{1,30}:(?:\\{0,4}/){2}(?:[^\s/@\"'<>]{1,300}@)?"
    rf"{_HOST}(?![A-Za-z0-9_@-])"
)
_NAME = re.compile(
    r"(?:(?<![\w@.$-])|(?<=:@)|(?<=\w@)(?=[\w.-]{1,200}\.(?:local|internal|intranet|intra|lan|corp)\b))(?P<host>(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,9}(?P<end>[a-z]{2,12}))"
    r"(?![\w(-]|\.[A-Za-z0-9_])"
)
_WITH_PORT = re.compile(
    r"(?<![\w.@/-])(?P<host>[A-Za-z][A-Za-z0-9]{0,30}(?:-[A-Za-z0-9]{1,30}){0,6}):[0-9]{4,5}(?![\w.-]|:\S)"
)
_LOGIN = re.compile(
    r"(?:\b(?:ssh|scp|sftp|rsync|mosh)\b[^\n@]{0,60}?\s[\w.-]{1,40}"
    rf"|(?<![\w.@-])[a-z_][\w.-]{{0,31}}(?=@[\w.-]{{1,80}}:[~/]))@{_HOST}"
)
_MACHINE_SHAPE = rf"(?=[A-Za-z0-9.-]{{0,63}}[0-9-])(?=[0-9.-]{{0,63}}[A-Za-z]){_LABEL}(?:\.{_LABEL}){{0,9}}"
_MACHINE = f"(?P<host>{_MACHINE_SHAPE})"
"""A name with a digit, a hyphen or both, as machines have and words do not."""

_SAID = re.compile(
    r"(?:(?i:(?<![A-Za-z0-9])(?:host(?:name)?|hostaddr|resolve|enotfound|eai_again|getaddrinfo(?: failed for)?|lookup"
    r"|data source|address|addr)\b[\"']?(?: name)?[ :=]{1,3}"
    r"|\b(?:server|node|machine|host|pod on|worker)\b[\"']?\s?(?:[:=]\s?|(?=[\"'])))(?:tcp:)?"
    # commands whose argument or option is a machine
    r"|\b(?:psql|pg_dump|pg_restore|pg_isready|createdb|mysql\w{0,5}|mariadb\w{0,5}|redis-cli|mongosh?|mongodump|clickhouse-client|influx|ldapsearch|smbclient|nmap|nc"
    r"|telnet|rsh|ipmitool|kafkacat|kcat|mosquitto_\w{3})\b[^\n|;]{0,120}?\s(?:-h|-H"
    r"|--host(?:name)?|--server)[ =]"
    r"|(?<![\w./-])(?:ssh|mosh|ping6?|PING|traceroute|mtr|dig|nslookup|telnet|nc|nmap|ssh-keyscan|ssh-copy-id"
    r"|wakeonlan|whois)\b(?: -{1,2}[\w=-]{1,20}(?: [0-9]{1,5})?){0,4} "
    r"|\bkubectl (?:drain|cordon|uncordon|taint nodes?|debug node/|describe nodes?|delete nodes?|get nodes?"
    r"|top nodes?)[ /]?"
    rf")[\"']?{_MACHINE}(?![\w@(-])"
)
_SHARE = re.compile(rf"(?<![\w\\:])(?:\\{{2}}|\\{{4}}){_HOST}(?:\\{{1,2}}(?=[\w$])|(?=\s|\Z))")
_FLEET = re.compile(
    r"(?<![\w./@-])(?P<host>ip(?:-[0-9]{1,3}){4}(?![\w-])|(?:[a-z][a-z0-9]{1,15}-){1,4}(?:db|sql|web|app|node|worker|runner|srv|server|host|cache|redis|broker"
    r"|mgr|master|replica|bastion|gateway|gw|proxy|lb|nas|vm|gpu|mx|mail|dc|pg|mongo|kafka)(?:[0-9]{1,3}|-[0-9]{2,3}))(?![\w-]|\.\d)"
    r"|(?<![A-Za-z0-9-])(?P<made>(?:(?:DESKTOP|MININT|EC2AMAZ)-(?=[A-Z]*[0-9])[A-Z0-9]{7}|LAPTOP-(?=[A-Z]*[0-9])[A-Z0-9]{8}|WIN-(?=[A-Z]*[0-9])[A-Z0-9]{11}"
    r"|[A-Z][a-z]{2,20}-(?:MacBook|iMac|Mac|iPhone|iPad)(?:-(?:Pro|Air|[Mm]ini|Studio))?(?:-[0-9]{1,2})?))(?![A-Za-z0-9-])"
)
"""A machine of many, as companies number them, and as Windows and macOS name one."""

_IPV4 = re.compile(r"(?<![\w.-])(?P<host>(?:[0-9]{1,3}\.){3}[0-9]{1,3})(?![\w-]|\.[0-9])")
_IPV6 = re.compile(
    r"(?<![\w:.])(?P<host>(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?:%[a-z0-9]{1,10})?)(?![\w:])"
)
_MAC = re.compile(
    r"(?<![\w:-])(?P<host>[0-9A-Fa-f]{2}(?P<sign>[:-])[0-9A-Fa-f]{2}(?:(?P=sign)[0-9A-Fa-f]{2}){4})(?![\w:-])"
)
_NOBODYS_MAC = re.compile(
    r"(?i:02.42|00.00.5e.00.53|00.00.00.00|ff.ff.ff|aa.bb.cc|00.11.22.33|01.23.45|12.34.56|de.ad.be)"
)
"""Hardware addresses of Docker, of documentation and of everybody."""

_RESERVED = re.compile(
    r"^localhost\.|(?:^|\.)(?:example\.(?:com|net|org)|test|example|invalid|localhost)\.?$"
)
_DOCUMENTATION = [
    ipaddress.ip_network(n) for n in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32")
]
"""Addresses reserved for documentation (RFC 5737, RFC 3849)."""

_VERSION = re.compile(
    r"(?i:\b(?:v|version|release|section|sec\.?|chapter|clause|table|figure|step|rule|item|part|appendix"
    r"|release|rev|oid))[ =:]{0,2}\Z|[A-Za-z]/\Z|[=<>~^]=\Z"
)
"""What stands before numbers that look like an address: a version, a section, the name of a browser."""

_NUMBERED = re.compile(
    r"[0-9.]+-[a-z]+[0-9.]*|[a-z][0-9][a-z]{0,3}\.\w+|[0-9]+\.x|v?[0-9]+(?:\.[0-9]+)*(?:[-.](?:alpha|beta|rc|pre|dev|lts)\w*)*|[A-Za-z]+[-/]?v?[0-9]+\.[0-9.]+.*|x86-64|[0-9a-f]{12}",
    re.IGNORECASE,
)
"""A version, an architecture or a container's id in the place of a machine's name."""


_REGION = re.compile(r"[a-z]{2}(?:-gov)?-(?:north|south|east|west|central)[a-z]{0,5}-?[0-9][a-z]?")
"""A region of a cloud."""


def is_public(name: str) -> bool:
    """Return whether a host is known to everybody, or reserved for examples."""
    name = name.lower()
    parts = name.split(".")
    known = words("public", parts[-1]) if parts[-1] in data("words.toml")["public"] else ()
    return (
        any(".".join(parts[n:-1]) in known for n in range(len(parts)))
        or (len(parts) == 1 and name in words("host", "common"))
        or is_reserved(name)
    )


def is_site(name: str) -> bool:
    """Return whether a host is public, or looks like a web site that is made for everybody."""
    parts = name.lower().split(".")
    plain = len(parts) == 2 and name.replace(".", "").isalpha()
    inside = parts[-1] in words("host", "inside")
    return is_public(name) or (
        (plain or (len(parts) == 3 and parts[0] in words("host", "sites"))) and not inside
    )


def is_reserved(name: str) -> bool:
    """Return whether a host name is reserved for examples (RFC 2606)."""
    return _RESERVED.search(name.lower()) is not None


def _is_addressed(match: Match) -> bool:
    served = match.string[match.end("host") : match.end("host") + 1] == ":"
    return not _is_number(match["host"]) and not (is_public if served else is_site)(match["host"])


def _is_full_name(match: Match) -> bool:
    name, parts = match["host"], match["host"].count(".") + 1
    sure = _is_end(match["end"], parts >= 3 or name.startswith("www."))
    program = name.partition(".")[0] in words("host", "programs") and parts <= 3
    return sure and not program and not is_site(name) and not name.replace(".", "").isdigit()


def _is_machine(match: Match) -> bool:
    return not is_public(match["host"]) and not _NUMBERED.fullmatch(match["host"])


def _is_address(match: Match) -> bool:
    before = _VERSION.search(match.string, max(0, match.start() - 12), match.start())
    return before is None and _is_private_number(match["host"])


_HOSTS: tuple[tuple[str, str, tuple[str, ...], re.Pattern[str], Callable[[Match], bool]], ...] = (
    ("host", "host name", ("//", "\\/"), _IN_ADDRESS, _is_addressed),
    ("host", "host name", (".",), _NAME, _is_full_name),
    ("ip-address", "IP address", (".",), _IPV4, _is_address),
    (
        "host",
        "host name",
        (":",),
        _WITH_PORT,
        lambda m: re.search(r"[0-9-]", m["host"]) is not None and not is_public(m["host"]),
    ),
    ("mac-address", "hardware address", (":", "-"), _MAC, lambda m: _NOBODYS_MAC.match(m["host"]) is None),
    ("ip-address", "IP address", (":",), _IPV6, lambda m: _is_ipv6(m["host"])),
    ("host", "host name", ("@",), _LOGIN, _is_machine),
    ("host", "host name", (" ", "=", ":"), _SAID, _is_machine),
    (
        "host",
        "host name",
        ("\\\\",),
        _SHARE,
        lambda m: re.search(r"[0-9.-]", m["host"]) is not None and not _is_number(m["host"]),
    ),
    ("host", "host name", ("-",), _FLEET, lambda m: True),
)
"""Kind, label, what a text needs to contain in lower case, and where a machine is named: by its shape, or by the words
before it."""


def hosts(text: str, lowered: str) -> Iterator[Hit]:
    """Find host names, IP addresses and hardware addresses. ``lowered`` is the text in lower case."""
    for kind, label, needs, pattern, is_private in _HOSTS:
        if any(need in lowered for need in needs):
            for match in filter(is_private, pattern.finditer(text)):
                yield Hit(
                    *match.span(match.lastgroup if match.lastgroup == "made" else "host"),
                    kind,
                    label,
                    HOST,
                    edged=True,
                )
    found = [(one.start, one.end) for one in _told(text, labels.HOST) if _looks_told(text, one)]
    for start, end in (*_placed("host", text, lowered), *found):
        name = text[start:end]
        stem = re.sub(r"-?[0-9]+\Z", "", name.lower())
        thing = not words("host", "things").isdisjoint((name.lower(), stem)) or _REGION.fullmatch(name)
        ordinary = name.islower() and name in PROGRAM_WORDS | words("user", "nobody")
        if not (_NUMBERED.fullmatch(name) or thing or ordinary or is_public(name)):
            yield Hit(start, end, "host", "host name", HOST, edged=True)


def _told(text: str, what: str) -> Iterator[labels.Labelled]:
    """Yield what the columns of tables and the labels before values name."""
    yield from (one for one in (*labels.cells(text), *labels.labelled(text)) if one.what == what)


def _looks_told(text: str, told: labels.Labelled) -> bool:
    """Return whether a labelled value can be a machine: it has a digit or a hyphen, or its label says *host name*."""
    name = text[told.start : told.end]
    return re.fullmatch(rf"{_MACHINE_SHAPE}(?:\[[0-9,-]{{1,20}}\])?|\w+\\\w+", name) is not None or (
        told.label.lower() in words("host", "sure")
        and name.isalpha()
        and not name.istitle()
        and name.lower() not in PROGRAM_WORDS
    )


def is_host(text: str) -> bool:
    """Return whether a value can be the name of a private host."""
    return re.fullmatch(_HOST, text) is not None and not is_public(text)


def _is_end(end: str, long: bool) -> bool:
    return end in words("host", "ends") or (long and end in words("host", "ends_of_long_names"))


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[0-9.]+", text) is not None


def _is_private_number(text: str) -> bool:
    try:
        found = ipaddress.IPv4Address(text)
    except ValueError:
        return False
    nobodys = any(found in network for network in _DOCUMENTATION)
    small = not found.is_private and all(
        int(part) < 20 for part in text.split(".")
    )  # 1.2.3.4 is a version, or a public resolver
    return not (
        nobodys or small or found.is_loopback or found.is_unspecified or text.startswith(("255.", "0."))
    )


def _is_ipv6(text: str) -> bool:
    bare = text.partition("%")[0]
    try:
        found = ipaddress.IPv6Address(bare)
    except ValueError:
        return False
    groups = [g for g in bare.split(":") if g]
    if any(found in network for network in _DOCUMENTATION) or bare.startswith("fe80::42:"):
        return False  # documentation, or a container of Docker
    return not found.is_loopback and len(groups) >= 3 and any(c.isdigit() for c in bare)


_MAIL = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}(?:@|%40)(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,8}[^\W\d_]{2,24}(?![\w-])"
)
_NO_PERSON = ("git@", "noreply@", "no-reply@", "support@", "you@", "security@")
_REST = r"[^\s/\\:\"'<>|,;()\[\]{}*?$`]{1,64}"
_FOLDERS = (
    "[Pp]rojects?|code|src|work|workspaces?|dev|[Dd]evelopment|repos?|git|[Gg]it[Hh]ub|[Dd]ocuments|[Dd]esktop|[Dd]ownloads|[Cc]ode|[Ss]ites|app|apps"
    "|source|sandbox|tmp|go|notes|play"
)
_ABOVE = (
    r"(?:/mnt(?:/[a-z])?|/[a-z]|/cygdrive/[a-z]|/var|/export|/usr|/opt|/data\d?|/(?:net|nfs|mnt|media|srv|volumes?|storage|nas|autofs)(?:/[\w-]{1,30}){0,2}"
    r"|/gpfs|/lustre|/scratch|/cluster|/host|/rootfs|/System/Volumes/Data|/Volumes/[\w -]{1,30})"
)
_UNIX_HOME = re.compile(
    rf"(?<![\w.~/])(?P<home>(?:{_ABOVE}?/(?:homes?\d?|Users)|/(?:data\d?|scratch|work|project|mnt/\w{{1,20}})/users|/u|/afs/[\w./]{{1,60}}?/users?(?:/\w)?)"
    rf"/(?P<user>{_REST}))"
    rf"|(?:(?<![A-Za-z0-9])|(?<=-[A-Za-z]))(?P<home_2>/(?:home|Users)/(?P<user_2>{_REST}))"
    rf"|(?i:wsl(?:\$|\.localhost|\+))[\w.\\/-]{{0,60}}?(?P<home_3>[\\/]{{1,4}}home[\\/]{{1,4}}(?P<user_3>{_REST}))"
    r"|(?<![\w.-])(?P<home_4>(?:[A-Za-z]--?|-)(?:home|Users)-(?P<user_4>[A-Za-z0-9]{1,32}(?:-[A-Za-z0-9]{1,32}(?=-(?:"
    + _FOLDERS
    + r")\b))?))(?=-[A-Za-z0-9])"
)
"""A home below ``/home`` or ``/Users``, also in Windows' subsystem and as Claude Code spells the names of folders."""
_WINDOWS_HOME = re.compile(
    r"(?<![A-Za-z0-9])(?P<home>[A-Za-z]:[\\/]{1,8}"
    r"(?:Users|Benutzer|Utilisateurs|Usuarios|Utenti|Documents and Settings)[\\/]{1,8}"
    rf"(?P<user>[^\\/:*?\"<>|\r\n]{{1,64}}(?=[\\/])|{_REST}))"
)
_TILDE = re.compile(
    r"(?<![\w/.~])(?P<home>~(?P<user>[a-z_][a-z0-9_-]{1,31}))(?=/)"
    r"|(?<=/)(?P<home_2>~(?P<user_2>[a-z_][a-z0-9_-]{1,31}))(?=[/\s\"'?#)]|\Z)"
)
_HOMES = (
    (_UNIX_HOME, ("/home", "/Users", "\\home", "-home-", "-Users-", "/user", "/u/")),
    (_WINDOWS_HOME, (":/", ":\\")),
    (_TILDE, ("~",)),
)
_DIGITS = re.compile(r"[0-9](?:[ ()./-]{0,4}[0-9]){6}")
"""Seven digits, nearly in a row: every number below contains them, except a bank account's."""

_DASHED = re.compile(r"[0-9]{2}[-.][0-9]{4}")
_PHONES = (
    re.compile(r"(?<![\w+.])\+[1-9][0-9]{0,2}(?: ?\(0\))?(?:[ .-]?\(?[0-9]{2,4}\)?){2,4}(?![\w])"),
    re.compile(r"(?<![\w.-])(?:\([0-9]{3}\) ?|[0-9]{3}[-.])[0-9]{3}[-.][0-9]{4}(?![\w-])"),
)
_CARD = re.compile(
    r"(?<![\w.-])(?:[0-9]{4}([ -]?)[0-9]{4}\1[0-9]{4}\1[0-9]{3,4}|3[47][0-9]{2}[ -]?[0-9]{6}[ -]?[0-9]{5})(?![\w-])"
)
_IBAN = re.compile(
    r"(?<![A-Za-z0-9])[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])"
)
_SOCIAL = re.compile(r"(?<![\w-])(?!000|666|9)[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4}(?![\w-])")


def personal(text: str, lowered: str) -> Iterator[Hit]:
    """Find personal data that is recognized by its shape. ``lowered``: the text in lower case."""
    if "@" in text or "%40" in text:
        for match in _MAIL.finditer(text):
            address = match[0].lower().replace("%40", "@")
            if not address.startswith(_NO_PERSON) and not is_reserved(address.rpartition("@")[2]):
                yield Hit(*match.span(), "email", "e-mail address", PERSONAL)
    for home in homes(text):
        yield Hit(home.start, home.end, "home", "home directory", PERSONAL, edged=True)
    told = (span for one in _told(text, labels.USER) if (span := _account(text, one)))
    found = [
        (start, end)
        for start, end in (*_placed("user", text, lowered), *told)
        if is_somebody(text[start:end])
    ]
    again = users_in(text, frozenset(text[start:end] for start, end in found)) if found else ()
    for start, end in (*found, *again):
        yield Hit(start, end, "user-name", "user name", PERSONAL, strong=False)
    if any(c.isdigit() for c in text):
        yield from _numbers(text)


def _account(text: str, told: labels.Labelled) -> Span | None:
    """Return the range of the account that a label or a column names, without its domain, if it can be one."""
    start = text.rfind("\\", told.start, told.end) + 1 or told.start
    name = text[start : told.end]
    sure = start > told.start or told.quoted or not told.label.islower()
    if not re.fullmatch(r"[^\W\d_][\w.-]{2,31}", name) or (name[0].isupper() and not sure):
        return None
    parts = re.split(r"[._-]", name.lower())
    return None if not PROGRAM_WORDS.isdisjoint(parts) or _NOUN.search(name) else (start, told.end)


_NOUN = re.compile(r"(?:tions?|ments?|ity|ness|able|ance|ence|ated|ings?|ies)\Z")
"""Ends of words that are no names of people."""


def _numbers(text: str) -> Iterator[Hit]:
    """Find numbers of phones, cards, accounts and people."""
    for match in _IBAN.finditer(text):
        if _is_iban(match[0].replace(" ", "")):
            yield Hit(*match.span(), "iban", "bank account", PERSONAL, edged=True)
    if _DIGITS.search(text) is None:
        return
    dashed = _DASHED.search(text) is not None
    for pattern in (*_PHONES[: "+" in text], *_PHONES[1 : 1 + dashed]):
        for match in pattern.finditer(text):
            if 9 <= sum(c.isdigit() for c in match[0]) <= 15:
                yield Hit(*match.span(), "phone", "phone number", PERSONAL, edged=True)
    for match in _CARD.finditer(text):
        if _luhn(re.sub(r"\D", "", match[0])):
            yield Hit(*match.span(), "card", "card number", PERSONAL, edged=True)
    for match in _SOCIAL.finditer(text) if dashed else ():
        yield Hit(*match.span(), "social-security", "social security number", PERSONAL, edged=True)


def is_somebody(user: str) -> bool:
    """Return whether the name of an account is no program's and no folder's."""
    return (
        len(user) >= 3
        and user.lower() not in words("user", "common") | words("user", "nobody") | PROGRAM_WORDS
        and not FILE_NAME.fullmatch(user)
        and not names_secret(user)
        and (is_value(user) or "." in user)
    )


_LINE = r"(?:^[ \t]{0,8}(?:[+|>-][ \t]{0,4})?|(?<=: ))"
"""The start of a line: also indented, in a diff, or behind the head of a log."""


@cache
def _places(what: str) -> tuple[tuple[tuple[str, ...], re.Pattern[str]], ...]:
    """Return the patterns of ``people.toml`` for users or hosts, each with what a text needs to contain."""
    shapes = {
        "USER": r"[A-Za-z_][\w.-]{0,30}[\w-]",
        "MACHINE": _MACHINE_SHAPE,
        "PERSON": r"(?!Your |My |First |Full |User )[A-Z][\w'-]{0,30}\.?(?: [A-Z][\w.'-]{0,30}){1,3}",
        "PLAIN": r"[A-Za-z][\w-]{1,40}\w(?:\.[\w-]{1,40}){0,5}",
        "NUMBERED": r"(?:[A-Za-z]{2,15}-){0,4}[A-Za-z]{2,15}-?[0-9]{1,4}",
    }

    def group(match: Match) -> str:
        return rf"(?P<{match[0].lower()}>{shapes[match[1]]})"

    return tuple(
        (
            tuple(rule["needs"]),
            re.compile(
                re.sub(
                    r"(USER|MACHINE|NUMBERED|PLAIN|PERSON)(?:_[0-9])?\b(?!=)",
                    group,
                    re.sub(r"(?<!\[)\^", lambda _: _LINE, rule["pattern"]),
                ).replace("ADDRESS", r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}")
            ),
        )
        for rule in data("people.toml")[what]
    )


def _placed(what: str, text: str, lowered: str) -> Iterator[Span]:
    """Yield the ranges of names that stand where a command, a log or a file names a user or a host."""
    for needs, pattern in _places(what):
        if any(need in lowered for need in needs):
            for match in pattern.finditer(text):
                yield from (match.span(group) for group, name in match.groupdict().items() if name)


class Home(NamedTuple):
    """A home directory: its range in a text, and its user."""

    start: int
    end: int
    user: str


def homes(text: str) -> Iterator[Home]:
    """Find home directories."""
    for pattern, needs in _HOMES:
        for match in pattern.finditer(text) if any(need in text for need in needs) else ():
            group = next(name for name in match.groupdict() if name.startswith("user") and match[name])
            user = match[group].rstrip(".!")
            start = match.start(group.replace("user", "home"))
            somebody = user.lower() not in words("user", "nobody") | words("user", "common")
            if (
                user
                and somebody
                and not user.startswith(("REDACTED_", "<", "%"))
                and not FILE_NAME.fullmatch(user)
            ):
                yield Home(start, match.start(group) + len(user), user)


def users_in(text: str, users: frozenset[str]) -> Iterator[Span]:
    """Yield ranges that name one of these users: in a path, before an ``@``, after ``user =``."""
    for match in _naming(users).finditer(text):
        yield match.span("user" if match["user"] else 0)


@lru_cache(maxsize=4)
def _naming(users: frozenset[str]) -> re.Pattern[str]:
    name = "(?:" + "|".join(re.escape(user) for user in sorted(users, key=len, reverse=True)) + ")"
    return re.compile(
        rf"(?<=[/\\]){name}(?=[/\\\s\"',:;)]|\Z)|(?<![\w.-]){name}(?=@)"
        rf"|(?i:\b(?:user(?:name)?|owner|login)[\"']?\s{{0,2}}[=:]\s{{0,2}}[\"']?)(?P<user>{name})(?![\w-])"
    )


def _luhn(digits: str) -> bool:
    if digits[0] not in "23456" or len(set(digits)) < 2:
        return False
    doubled = [int(d) * (1 + i % 2) for i, d in enumerate(reversed(digits))]
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0


def _is_iban(text: str) -> bool:
    """Check an IBAN (ISO 13616): first four characters moved to the end, letters as 10 to 35, it is 1 modulo 97."""
    if not 15 <= len(text) <= 34:
        return False
    return int("".join(str(int(c, 36)) for c in text[4:] + text[:4])) % 97 == 1
