"""Finds what identifies a person or a machine: mail, home directories, users, phones, cards, accounts, hosts,
addresses."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from planscope.safe.secret_names import FILE_NAME
from planscope.sharing.redact.hits import HOST, PERSONAL, Hit, data, words

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
    r"(?<![\w.@/-])(?P<host>[a-z][a-z0-9]{0,30}(?:-[a-z0-9]{1,30}){0,6}):[0-9]{4,5}(?![\w:.-])"
)
_LOGIN = re.compile(
    r"(?:\b(?:ssh|scp|sftp|rsync|mosh)\b[^\n@]{0,60}?\s[\w.-]{1,40}"
    rf"|(?<![\w.@-])[a-z_][\w.-]{{0,31}}(?=@[\w.-]{{1,80}}:[~/]))@{_HOST}"
)
_MACHINE = rf"(?P<host>(?=[A-Za-z0-9.-]{{0,63}}[0-9-]){_LABEL}(?:\.{_LABEL}){{0,9}})"
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
_SHARE = re.compile(rf"(?<![\w\\:])(?:\\{{2}}|\\{{4}}){_HOST}\\{{1,2}}(?=[\w$])")
_CLOUD = re.compile(r"(?<![\w.-])(?P<host>ip-[0-9]{1,3}(?:-[0-9]{1,3}){3})(?![\w-])")
_FLEET = re.compile(
    r"(?<![\w./@-])(?P<host>(?:[a-z][a-z0-9]{1,15}-){1,4}(?:db|sql|web|app|node|worker|runner|srv|server|host|cache|redis|broker"
    r"|mgr|master|replica|bastion|gateway|gw|proxy|lb|nas|vm|gpu|mx|mail|dc|pg|mongo|kafka)(?:[0-9]{1,3}|-[0-9]{2,3}))(?![\w-]|\.\d)"
)
"""A machine of many, as companies number them."""

_IPV4 = re.compile(r"(?<![\w.-])(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?![\w-]|\.[0-9])")
_IPV6 = re.compile(r"(?<![\w:.])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?:%[a-z0-9]{1,10})?(?![\w:])")
_MAC = re.compile(r"(?<![\w:-])[0-9A-Fa-f]{2}(?:([:-])[0-9A-Fa-f]{2})(?:\1[0-9A-Fa-f]{2}){4}(?![\w:-])")
_RESERVED = re.compile(r"(?:^|\.)(?:example\.(?:com|net|org)|test|example|invalid|localhost)\.?$")
_DOCUMENTATION = [
    ipaddress.ip_network(n) for n in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32")
]
"""Addresses reserved for documentation (RFC 5737, RFC 3849)."""

_MAY_SAY = (
    "host", "resolve", "enotfound", "eai_again", "getaddrinfo", "server", "node", "machine", "lookup",
    "data source", "addr", "worker", "-h", "ssh", "mosh", "ping", "trace", "mtr", "dig", "whois", "telnet",
    "nc ", "nmap", "kubectl", "wakeonlan",
)  # fmt: skip
"""A text without any of these in lower case contains no phrase that names a host."""

_VERSION = re.compile(
    r"(?i:\b(?:v|version|release|section|sec\.?|chapter|clause|table|figure|step|rule|item|part|appendix"
    r"|release|rev|oid))[ =:]{0,2}\Z|[A-Za-z]/\Z|[=<>~^]=\Z"
)
"""What stands before numbers that look like an address: a version, a section, the name of a browser."""

_NUMBERED = re.compile(
    r"[0-9.]+-[a-z]+[0-9.]*|v?[0-9]+(?:\.[0-9]+)*(?:[-.](?:alpha|beta|rc|pre|dev|lts)\w*)*|[A-Za-z]+[-/]?v?[0-9]+\.[0-9.]+.*|x86-64|[0-9a-f]{12}",
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


def hosts(text: str, lowered: str) -> Iterator[Hit]:
    """Find host names, IP addresses and hardware addresses. ``lowered`` is the text in lower case."""
    for match in _IN_ADDRESS.finditer(text) if "//" in text or "\\/" in text else ():
        served = text[match.end("host") : match.end("host") + 1] == ":"
        if not _is_number(match["host"]) and not (is_public if served else is_site)(match["host"]):
            yield _host(match)
    if "." in text:
        for match in _NAME.finditer(text):
            name, parts = match["host"], match["host"].count(".") + 1
            sure = _is_end(match["end"], parts >= 3 or name.startswith("www."))
            program = name.partition(".")[0] in words("host", "programs") and parts <= 3
            if sure and not program and not is_site(name) and not name.replace(".", "").isdigit():
                yield _host(match)
    if "." in text:
        for match in _IPV4.finditer(text):
            if _is_private_number(match[0]) and not _VERSION.search(
                text, max(0, match.start() - 12), match.start()
            ):
                yield Hit(*match.span(), "ip-address", "IP address", HOST, edged=True)
    if ":" in text or "-" in text:
        yield from _by_colons(text)
    if "@" in text:
        for match in _LOGIN.finditer(text):
            if not is_public(match["host"]) and not _NUMBERED.fullmatch(match["host"]):
                yield _host(match)
    for match in _SAID.finditer(text) if any(word in lowered for word in _MAY_SAY) else ():
        name = match["host"]
        if not _NUMBERED.fullmatch(name) and not is_public(name):
            yield _host(match)
    for match in _SHARE.finditer(text) if "\\\\" in text else ():
        if re.search(r"[0-9.-]", match["host"]) and not _is_number(match["host"]):
            yield _host(match)
    if "-" in text:
        yield from (_host(m) for m in _FLEET.finditer(text))
    if "ip-" in text:
        yield from (_host(m) for m in _CLOUD.finditer(text))
    for start, end in _placed("host", text, lowered):
        name = text[start:end]
        stem = re.sub(r"-?[0-9]+\Z", "", name.lower())
        thing = not words("host", "things").isdisjoint((name.lower(), stem)) or _REGION.fullmatch(name)
        if not _NUMBERED.fullmatch(name) and not thing and not is_public(name):
            yield Hit(start, end, "host", "host name", HOST, edged=True)


def _by_colons(text: str) -> Iterator[Hit]:
    for match in _WITH_PORT.finditer(text):
        if re.search(r"[0-9-]", match["host"]) and not is_public(match["host"]):
            yield _host(match)
    for match in _MAC.finditer(text):
        yield Hit(*match.span(), "mac-address", "hardware address", HOST, edged=True)
    for match in _IPV6.finditer(text):
        if _is_ipv6(match[0]):
            yield Hit(*match.span(), "ip-address", "IP address", HOST, edged=True)


def _host(match: re.Match[str]) -> Hit:
    return Hit(*match.span("host"), "host", "host name", HOST, edged=True)


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
    if any(found in network for network in _DOCUMENTATION):
        return False
    return not found.is_loopback and len(groups) >= 3 and any(c.isdigit() for c in bare)


_MAIL = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}(?:@|%40)(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,8}[^\W\d_]{2,24}(?![\w-])"
)
_NO_PERSON = ("git@", "noreply@", "no-reply@")
_REST = r"[^\s/\\:\"'<>|,;()\[\]{}*?$`]{1,64}"
_FOLDERS = (
    "[Pp]rojects?|code|src|work|workspaces?|dev|[Dd]evelopment|repos?|git|[Gg]it[Hh]ub|[Dd]ocuments|[Dd]esktop|[Dd]ownloads|[Cc]ode|[Ss]ites|app|apps"
    "|source|sandbox|tmp|go|notes|play"
)
_ABOVE = (
    r"(?:/mnt(?:/[a-z])?|/[a-z]|/cygdrive/[a-z]|/var|/export|/usr|/data\d?|/(?:net|nfs|mnt|media|srv|volumes?|storage|nas|autofs)(?:/[\w-]{1,30}){0,2}"
    r"|/gpfs|/lustre|/scratch|/cluster|/host|/rootfs|/System/Volumes/Data|/Volumes/[\w -]{1,30})"
)
_UNIX_HOME = re.compile(
    rf"(?<![\w.~/])(?P<home>{_ABOVE}?/(?:home\d?|Users)/(?P<user>{_REST}))"
    rf"|(?<=//)(?P<home_2>/(?:home|Users)/(?P<user_2>{_REST}))"
    rf"|(?i:wsl(?:\$|\.localhost|\+))[\w.\\/-]{{0,60}}?(?P<home_3>[\\/]{{1,4}}home[\\/]{{1,4}}(?P<user_3>{_REST}))"
    r"|(?<![\w.-])(?P<home_4>(?:[A-Za-z]--?|-)(?:home|Users)-(?P<user_4>[A-Za-z0-9]{1,32}(?:-[A-Za-z0-9]{1,32}(?=-(?:"
    + _FOLDERS
    + r")\b))?))(?=-[A-Za-z0-9])"
)
"""A home below ``/home`` or ``/Users``, also in Windows' subsystem and as Claude Code spells the names of folders."""
_WINDOWS_HOME = re.compile(
    r"(?<![A-Za-z0-9])(?P<home>[A-Za-z]:[\\/]{1,8}(?:Users|Documents and Settings)[\\/]{1,8}"
    rf"(?P<user>[^\\/:*?\"<>|\r\n]{{1,64}}(?=[\\/])|{_REST}))"
)
_TILDE = re.compile(r"(?<![\w/.~])(?P<home>~(?P<user>[a-z_][a-z0-9_-]{1,31}))(?=/)")
_PATH_SIGN, _PART_ENDS = re.compile(r"[/\\]"), re.compile(r"[/\\\s\"',:;)]|\Z")
_USER_IS = re.compile(r"(?i:\b(?:user(?:name)?|owner|login)[\"']?\s{0,2}[=:]\s{0,2}[\"']?)")
_NAME_GOES_ON, _WORD_GOES_ON = re.compile(r"[\w.-]"), re.compile(r"[\w-]")
_HOMES = (
    (_UNIX_HOME, ("/home", "/Users", "\\home", "-home-", "-Users-")),
    (_WINDOWS_HOME, ("Users", "Documents and Settings")),
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
    if any(need in text for need in ("/", "\\", "-home-", "-Users-")):
        for home in homes(text):
            yield Hit(home.start, home.end, "home", "home directory", PERSONAL, edged=True)
    if any(need in text for need in _MAY_OWN):
        yield from _owners(text)
    for start, end in _placed("user", text, lowered):
        if _is_somebody(text[start:end]):
            yield Hit(start, end, "user-name", "user name", PERSONAL, strong=False)
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


_OWNERS = (
    re.compile(
        r"(?m)(?:^|(?<=[\s>:]))[dlbcps-](?:[r-][w-][xsStT-]){3}[.+@]?\s{1,4}[0-9]{1,6}\s{1,4}(?P<user>[a-z_][\w.-]{1,31})\s{1,4}(?P<group>[a-z_][\w.-]{1,31})\s"
    ),
    re.compile(
        r"(?m)^(?P<user>[a-z_][\w.-]{1,31})\s{1,12}[0-9]{1,8}\s{1,4}[0-9]{1,3}\.[0-9]\s{1,4}[0-9]{1,3}\.[0-9]\s"
    ),
    re.compile(
        r"\b[ug]id=[0-9]{1,10}\((?P<user>[\w.-]{2,32})\)|\bgroups=[0-9]{1,10}\((?P<group>[\w.-]{2,32})\)"
    ),
    re.compile(r"(?<![\w.$])(?:(?:SUDO_|GIT_)?USER|LOGNAME|USERNAME)=[\"']?(?P<user>[A-Za-z_][\w.-]{1,31})"),
    re.compile(
        r"(?:(?<![\w.@/:-])|(?<=:\d\d:)|(?<=-))(?P<user>[a-z_][\w.-]{1,31})@[A-Za-z0-9][\w.-]{0,62}(?::|\s)(?:~|/)[^\n@]{0,80}?[$#%](?![\w{(])"
    ),
    re.compile(
        r"(?m)(?:^|[\s(\[:>\u2192-])\[?(?P<user>[a-z_][\w.-]{1,31})@[A-Za-z0-9][\w.-]{0,62}"
        r" [\w.~/-]{1,60}(?:\][$#]| %)(?:\s|\Z)"
    ),
    re.compile(
        r"(?m)^(?P<user>[a-z_][\w-]{1,31}):[x*!]:[0-9]{1,6}:[0-9]{1,6}:|\b(?:sudo -u|su -|crontab (?:for"
        r"|-u)|chown(?: -R)?) (?P<owner>[a-z_][\w-]{1,31})\b(?::(?P<group>[a-z_][\w-]{1,31}))?"
    ),
)
"""A listing of files or of processes, ``id``, the variables of a login and the prompt of a shell, which name a user."""

_MAY_OWN = (
    "rw",
    "r-x",
    "0.",
    ":x:",
    "sudo -u",
    "su -",
    "crontab ",
    "chown ",
    "uid=",
    "gid=",
    "USER",
    "LOGNAME",
    "@",
)


def _owners(text: str) -> Iterator[Hit]:
    for pattern in _OWNERS:
        for match in pattern.finditer(text):
            for group, user in match.groupdict().items():
                if user and _is_somebody(user):
                    yield Hit(*match.span(group), "user-name", "user name", PERSONAL, strong=False)


def _is_somebody(user: str) -> bool:
    """Return whether the name of an account is no program's and no folder's."""
    return (
        len(user) >= 3
        and user.lower() not in words("user", "common") | words("user", "nobody")
        and not FILE_NAME.fullmatch(user)
    )


_LINE = r"(?:^[ \t]{0,8}(?:[+|>-][ \t]{0,4})?|(?<=: ))"
"""The start of a line: also indented, in a diff, or behind the head of a log."""


@cache
def _places(what: str) -> tuple[tuple[tuple[str, ...], re.Pattern[str]], ...]:
    """Return the patterns of ``people.toml`` for users or hosts, each with what a text needs to contain."""
    machine = rf"(?=[A-Za-z0-9.-]{{0,63}}[0-9-]){_LABEL}(?:\.{_LABEL}){{0,9}}"
    shapes = {
        "USER": r"[A-Za-z_][\w.-]{0,30}[\w-]",
        "MACHINE": machine,
        "NUMBERED": r"(?:[A-Za-z]{2,15}-){0,4}[A-Za-z]{2,15}-?[0-9]{1,4}",
    }

    def group(match: re.Match[str]) -> str:
        return rf"(?P<{match[0].lower()}>{shapes[match[1]]})"

    return tuple(
        (
            tuple(rule["needs"]),
            re.compile(
                re.sub(
                    r"(USER|MACHINE|NUMBERED)(?:_[0-9])?\b(?!=)",
                    group,
                    re.sub(r"(?<!\[)\^", lambda _: _LINE, rule["pattern"]),
                ).replace("ADDRESS", r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}")
            ),
        )
        for rule in data("people.toml")[what]
    )


def _placed(what: str, text: str, lowered: str) -> Iterator[tuple[int, int]]:
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


def users_in(text: str, users: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Yield ranges that name one of these users: in a path, before an ``@``, after ``user =``."""
    sizes = _sizes(users)
    for sign in _PATH_SIGN.finditer(text):
        start = sign.end()
        for end in (start + size for size in sizes if start + size <= len(text)):
            if text[start:end] in users and _PART_ENDS.match(text, end):
                yield start, end
                break
    at = text.find("@")
    while at >= 0:
        for start in (at - size for size in sizes if size <= at):
            if text[start:at] in users and not _NAME_GOES_ON.match(text[start - 1 : start]):
                yield start, at
                break
        at = text.find("@", at + 1)
    for match in _USER_IS.finditer(text):
        start = match.end()
        for end in (start + size for size in sizes if start + size <= len(text)):
            if text[start:end] in users and not _WORD_GOES_ON.match(text, end):
                yield start, end
                break


@lru_cache(maxsize=4)
def _sizes(users: frozenset[str]) -> list[int]:
    """Return the lengths of the names, longest first."""
    return sorted({len(user) for user in users}, reverse=True)


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
