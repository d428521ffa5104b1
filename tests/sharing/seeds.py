"""Secrets made for tests: one of each kind, none ever live. ``text`` is what somebody wrote around ``secret``."""

from __future__ import annotations

import base64
import json
import random
import string
from typing import NamedTuple

LOWER_HEX = "0123456789abcdef"
ALNUM = string.ascii_letters + string.digits
UPPER_ALNUM = string.ascii_uppercase + string.digits
BASE64 = ALNUM + "+/"
URL_SAFE = ALNUM + "_-"


class Seed(NamedTuple):
    """``secret`` must be in no shared form; ``text`` holds it."""

    kind: str
    secret: str
    text: str


class _Maker:
    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def some(self, alphabet: str, size: int) -> str:
        """Of every class of characters that the alphabet has, as real keys of such a size have."""
        while True:
            made = "".join(self._random.choices(alphabet, k=size))
            classes = (string.ascii_lowercase, string.ascii_uppercase, string.digits)
            if all(set(made) & set(c) for c in classes if set(alphabet) & set(c)) or size < 8:
                return made

    def uuid(self) -> str:
        return "-".join(self.some(LOWER_HEX, n) for n in (8, 4, 4, 4, 12))


def jwt(make: _Maker) -> str:
    parts = [{"alg": "HS256", "typ": "JWT"}, {"sub": make.some(ALNUM, 12), "iat": 1516239022}]
    head = ".".join(base64.urlsafe_b64encode(json.dumps(p).encode()).decode().rstrip("=") for p in parts)
    return f"{head}.{make.some(URL_SAFE, 43)}"


def pem(make: _Maker, kind: str) -> str:
    lines = [make.some(BASE64, 64) for _ in range(4)] + [make.some(BASE64, 30) + "=="]
    return f"-----BEGIN {kind}-----\n" + "\n".join(lines) + f"\n-----END {kind}-----"


def seeds(number: int = 1) -> list[Seed]:
    """One secret of each kind, drawn from ``number``."""
    m = _Maker(number)
    alone = {
        "openai": "sk-" + m.some(ALNUM, 20) + "T3BlbkFJ" + m.some(ALNUM, 20),
        "openai project": "sk-proj-" + m.some(URL_SAFE, 74) + "T3BlbkFJ" + m.some(URL_SAFE, 74),
        "openai service account": "sk-svcacct-" + m.some(URL_SAFE, 58),
        "anthropic": "sk-ant-api03-" + m.some(URL_SAFE, 93) + "AA",
        "openrouter": "sk-or-v1-" + m.some(LOWER_HEX, 64),
        "langfuse": "sk-lf-" + m.uuid(),
        "hugging face": "hf_" + m.some(string.ascii_letters, 34),
        "groq": "gsk_" + m.some(ALNUM, 52),
        "replicate": "r8_" + m.some(ALNUM, 37),
        "perplexity": "pplx-" + m.some(ALNUM, 48),
        "xai": "xai-" + m.some(ALNUM, 80),
        "langsmith": "lsv2_pt_" + m.some(LOWER_HEX, 32) + "_" + m.some(LOWER_HEX, 10),
        "tavily": "tvly-dev-" + m.some(ALNUM, 32),
        "pinecone": "pcsk_" + m.some(ALNUM, 6) + "_" + m.some(ALNUM, 60),
        "nvidia": "nvapi-" + m.some(URL_SAFE, 64),
        "aws access key": "AKIA" + m.some(string.ascii_uppercase + "234567", 16),
        "aws temporary key": "ASIA" + m.some(string.ascii_uppercase + "234567", 16),
        "google api": "AIza" + m.some(URL_SAFE, 35),
        "google oauth": "ya29." + m.some(URL_SAFE, 60),
        "google client secret": "GOCSPX-" + m.some(URL_SAFE, 28),
        "azure storage": m.some(BASE64, 86) + "==",
        "azure client secret": m.some(ALNUM, 3) + "8Q~" + m.some(ALNUM, 34),
        "digitalocean": "dop_v1_" + m.some(LOWER_HEX, 64),
        "alibaba": "LTAI" + m.some(ALNUM, 20),
        "heroku": "HRKU-" + m.some(URL_SAFE, 60),
        "fly": "fo1_" + m.some(URL_SAFE, 43),
        "supabase": "sbp_" + m.some(LOWER_HEX, 40),
        "netlify": "nfp_" + m.some(ALNUM, 36),
        "databricks": "dapi" + m.some(LOWER_HEX, 32),
        "planetscale": "pscale_tkn_" + m.some(URL_SAFE, 43),
        "doppler": "dp.pt." + m.some(ALNUM, 43),
        "vault": "hvs." + m.some(URL_SAFE, 90),
        "terraform": m.some(ALNUM, 14) + ".atlasv1." + m.some(URL_SAFE, 64),
        "pulumi": "pul-" + m.some(LOWER_HEX, 40),
        "age": "AGE-SECRET-KEY-1" + m.some(UPPER_ALNUM, 58),
        "tailscale": "tskey-auth-" + m.some(ALNUM, 12) + "-" + m.some(ALNUM, 24),
        "github": "ghp_" + m.some(ALNUM, 36),
        "github app": "ghs_" + m.some(ALNUM, 36),
        "github fine-grained": "github_pat_" + m.some(ALNUM, 22) + "_" + m.some(ALNUM, 59),
        "gitlab": "glpat-" + m.some(URL_SAFE, 20),
        "gitlab runner": "glrt-" + m.some(URL_SAFE, 20),
        "atlassian": "ATATT3xFfGF0" + m.some(URL_SAFE, 60) + "=" + m.some(UPPER_ALNUM, 8),
        "bitbucket": "ATBB" + m.some(ALNUM, 32),
        "npm": "npm_" + m.some(ALNUM, 36),
        "pypi": "pypi-AgEIcHlwaS5vcmc" + m.some(URL_SAFE, 120),
        "rubygems": "rubygems_" + m.some(LOWER_HEX, 48),
        "docker": "dckr_pat_" + m.some(URL_SAFE, 27),
        "nuget": "oy2" + m.some(string.ascii_lowercase + string.digits, 43),
        "sonar": "squ_" + m.some(LOWER_HEX, 40),
        "circleci": "CCIPAT_" + m.some(ALNUM, 22) + "_" + m.some(LOWER_HEX, 40),
        "postman": "PMAK-" + m.some(LOWER_HEX, 24) + "-" + m.some(LOWER_HEX, 34),
        "slack bot": f"xoxb-{m.some(string.digits, 12)}-{m.some(string.digits, 12)}-{m.some(ALNUM, 24)}",
        "slack app": "xapp-1-"
        + m.some(UPPER_ALNUM, 10)
        + "-"
        + m.some(string.digits, 12)
        + "-"
        + m.some(LOWER_HEX, 64),
        "discord bot": "M" + m.some(ALNUM, 23) + "." + m.some(ALNUM, 6) + "." + m.some(URL_SAFE, 38),
        "telegram": m.some("123456789", 10) + ":AA" + m.some(URL_SAFE, 33),
        "notion": "ntn_" + m.some(ALNUM, 46),
        "linear": "lin_api_" + m.some(ALNUM, 40),
        "airtable": "pat" + m.some(ALNUM, 14) + "." + m.some(LOWER_HEX, 64),
        "figma": "figd_" + m.some(URL_SAFE, 40),
        "hubspot": "pat-na1-" + m.uuid(),
        "shopify": "shpat_" + m.some(LOWER_HEX, 32),
        "stripe": "sk_live_" + m.some(ALNUM, 24),
        "stripe restricted": "rk_live_" + m.some(ALNUM, 24),
        "webhook": "whsec_" + m.some(ALNUM, 32),
        "square": "sq0atp-" + m.some(URL_SAFE, 22),
        "plaid": "access-production-" + m.uuid(),
        "razorpay": "rzp_live_" + m.some(ALNUM, 14),
        "twilio": "SK" + m.some(LOWER_HEX, 32),
        "sendgrid": "SG." + m.some(URL_SAFE, 22) + "." + m.some(URL_SAFE, 43),
        "mailgun": "key-" + m.some(LOWER_HEX, 32),
        "mailchimp": m.some(LOWER_HEX, 32) + "-us12",
        "brevo": "xkeysib-" + m.some(LOWER_HEX, 64) + "-" + m.some(ALNUM, 16),
        "new relic": "NRAK-" + m.some(UPPER_ALNUM, 27),
        "grafana": "glsa_" + m.some(ALNUM, 32) + "_" + m.some(LOWER_HEX, 8),
        "sentry": "sntrys_" + m.some(BASE64, 100),
        "dynatrace": "dt0c01." + m.some(UPPER_ALNUM, 24) + "." + m.some(UPPER_ALNUM, 64),
        "launchdarkly": "sdk-" + m.uuid(),
        "jwt": jwt(m),
        "rsa key": pem(m, "RSA PRIVATE KEY"),
        "openssh key": pem(m, "OPENSSH PRIVATE KEY"),
        "pkcs8 key": pem(m, "PRIVATE KEY"),
        "bcrypt": "$2b$12$" + m.some("./" + ALNUM, 53),
        "random": m.some(ALNUM, 48),
    }
    made = [Seed(kind, secret, f"please use {secret} for it") for kind, secret in alone.items()]

    def said(kind: str, secret: str, text: str) -> None:
        made.append(Seed(kind, secret, text.replace("@@", secret)))

    said("aws secret", m.some(BASE64, 40), "aws_secret_access_key = @@")
    said(
        "azure account key",
        m.some(BASE64, 86) + "==",
        "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=@@",
    )
    said("azure signature", m.some(ALNUM, 43) + "%3D", "see https://a.blob.core.windows.net/c?sv=2022&sig=@@")
    said("datadog", m.some(LOWER_HEX, 32), "the Datadog API key is @@")
    said("twilio token", m.some(LOWER_HEX, 32), "Twilio auth token: @@")
    said("cohere", m.some(ALNUM, 40), "my cohere key @@ is new")
    said("uuid key", m.uuid(), "api key @@")
    said("postgres", "tr0ub4dor&3", "postgresql://ada:@@@db-1:5432/app")
    said("redis", m.some(ALNUM, 12), "redis://:@@@cache-2:6379/0")
    said("mongodb", m.some(ALNUM, 12), "mongodb+srv://ada:@@@cluster0.x1.mongodb.net/app")
    said("basic auth address", "hunter2hunter2", "curl https://ada:@@@git.corp.internal/x")
    said("authorization header", m.some(ALNUM, 24), "Authorization: Bearer @@")
    said("basic header", base64.b64encode(b"ada:correct horse").decode(), "Authorization: Basic @@")
    said(
        "slack webhook",
        f"T0{m.some(UPPER_ALNUM, 8)}/B0{m.some(UPPER_ALNUM, 8)}/{m.some(ALNUM, 24)}",
        "https://hooks.slack.com/services/@@",
    )
    said(
        "discord webhook",
        m.some("123456789", 18) + "/" + m.some(URL_SAFE, 68),
        "https://discord.com/api/webhooks/@@",
    )
    said("password", "Tr0ub4dor&3", "password=@@")
    said("spoken password", "c0rrect-horse", "the password is @@")
    said("quoted password", "correct horse battery", 'password: "@@"')
    said("environment file", "s3kr1t-value-9", "export DJANGO_SECRET_KEY='@@'")
    said("command line", "pa55w0rd!x", "curl -u ada:@@ https://x.corp.internal")
    said("address parameter", m.some(ALNUM, 20), "GET /v1/things?access_token=@@&page=2")
    said("cookie", m.some(ALNUM, 26), "Cookie: sessionid=@@")
    return made
