"""Everything that is shown passes here: secrets are masked, and no text can drive a terminal.

`safe` is idempotent and linear in the length of the text. What is masked keeps its kind and at most four characters:
`hf_ab…[masked]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

MASK = "…[masked]"
_ROUNDS = 4  # masking one secret can bring another into reach; the text is stable long before

# Whole terminal sequences: ESC [ 31 m · ESC ] 8 ; ; url BEL · ESC P … ESC \ · ESC ( B, and their C1 forms.
_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x90\x98\x9b-\x9f\n]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-~]"
)
# What breaks or moves a line becomes a blank: CR, VT, FF, NEL, the Unicode separators.
_BREAK = re.compile("\r(?!\n)|[\x0b\x0c\x85\u2028\u2029]")
# What is not seen or turns the reading direction: C0, DEL, C1, soft hyphen, zero width, bidi, BOM, tags.
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1f\r\x7f-\x84\x86-\x9f\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
_SURROGATE = re.compile("[\ud800-\udfff]")

# Keys that are known by their shape alone: what they begin with, and what follows.
_TOKEN = re.compile(
    r"(?<![A-Za-z0-9_])(?:"
    r"(?:hf_|api_org_)(?:(?=[a-z]{0,40}[A-Z0-9])[A-Za-z0-9]{8,}|[a-z]{30,})"
    r"|sk-(?=[A-Za-z_-]{0,60}\d)[A-Za-z0-9_-]{16,}"
    r"|(?:gh[pousr]_|github_pat_)[A-Za-z0-9_]{20,}"
    r"|gl[a-z]{2,6}-[A-Za-z0-9_=.-]{20,}"
    r"|A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}(?![A-Za-z0-9])"
    r"|(?:AIza|ya29\.|GOCSPX-)[A-Za-z0-9_-]{20,}"
    r"|(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,}"
    r"|(?:nvapi-|wandb_v1_|npm_|pypi-AgEI|dckr_[po]at_|gsk_|r8_|xai-|hvs\.|[rs]k_live_|dop_v1_)[A-Za-z0-9_-]{16,}"
    r"|(?<!-)eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)*"
    r"|(?:LS0tLS1CRUdJTi|eyJhdXRo)[A-Za-z0-9+/]{10,}={0,2}"
    r")"
)
# The kind of a key, kept in its mask.
_KIND = re.compile(
    r"hf_|api_org_|sk-(?:proj-|svcacct-|admin-|ant-|or-)?|gh[pousr]_|github_pat_|gl[a-z]{2,6}-|A[KSBC][IC]A|AIza|ya29\.|GOCSPX-"
    r"|xox[a-z]-|xapp-|nvapi-|wandb_v1_|npm_|pypi-|dckr_[po]at_|gsk_|r8_|xai-|hvs\.|[rs]k_live_|dop_v1_"
)
# -----BEGIN RSA PRIVATE KEY-----, to its end or to the end of the text
_PRIVATE_KEY = re.compile(
    r"(-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)(?!…\[masked\]).*?(?:-----END [^-\n]{0,60}-----|\Z)", re.DOTALL
)
# What stands around a secret gives it away: (before)(the secret)(after).
_SURROUNDED = (
    # Bearer 8f14e45f…, Basic dXNlcjpwYXNz
    re.compile(r"\b((?:[Bb]earer|BEARER)\s{1,3})((?=[^\s\d]{0,60}\d|\S{24})[A-Za-z0-9._~+/=-]{8,})()"),
    re.compile(r"\b(Basic\s{1,3})((?=[A-Za-z+/]{0,60}[0-9=])[A-Za-z0-9+/]{8,}={0,2})()"),
    # https://user:password@host; the last "@" before the path ends the password
    re.compile(r"(://[^\s/:@'\"<>]{0,200}:)([^\s/'\"<>]{1,400})(@)"),
    re.compile(r"(://)([A-Za-z0-9_-]{20,200})(@)"),
    re.compile(r"(hooks\.slack\.com/(?:services|workflows)/)([A-Za-z0-9/_-]+)()"),
    # curl -u user:password; "-u 1000:1000" is a user id
    re.compile(r"((?:^|\s)(?:-u|--user)[ =]['\"]?[^\s:'\"/]{1,100}:)((?!\d+(?:['\"\s]|$)|//)[^\s'\"]+)()"),
    re.compile(r"(\blogin\s{1,3}\S{1,100}\s{1,3}password\s{1,3})(\S+)()"),
    # ?X-Amz-Signature=…&sig=…
    re.compile(r"([?&](?:sig|signature|key|token|code|X-Amz-[A-Z][A-Za-z-]{2,30})=)([^\s&'\"<>#]{6,})()"),
)

# A name and what joins it to its value: HF_TOKEN=, 'api_key': , --api-key , {"name": "HF_TOKEN", "value": , API key provided:
_NAME = re.compile(
    r"(?:(?<![\w.-])|(?<=--)|(?<=_))(?P<name>[A-Za-z][\w.-]{0,80}|(?i:api key)(?: provided)?)"
    r"(?P<join>\\{0,3}[\"']?(?:,?\s{0,40}\\{0,3}[\"']?value\\{0,3}[\"']?)?\s{0,3}(?::=|=>|=|:)\s{0,3}"
    r"|(?<=[\w])[\"']?(?:,\s{0,3}|\s{1,3})(?=[^\s-]))"
)
# The value after it. Quoted, a list, or a run of characters; what is masked already comes first and is left.
_SCHEME = r"(?:(?i:bearer|basic|token|digest|apikey|negotiate)\s{1,3})?"
_VALUE = re.compile(
    rf"(?P<done>{_SCHEME}[^\s\"']{{0,40}}…\[masked\])"
    r"|\"(?P<double>(?:[^\"\\\n]|\\.)*)\"?"
    r"|'(?P<single>(?:[^'\\\n]|\\.)*)'?"
    r"|\\{1,3}[\"'](?P<escaped>[^\"'\\\n]*)"
    r"|(?P<list>\[[^\]\n]*\]?)"
    rf"|(?P<bare>{_SCHEME}[^\s\"',;&()\]}}<>\[{{][^\s\"',;&)\]}}>]*)"
)
_LINE_VALUE = re.compile(rf"(?P<done>[\"']?{_SCHEME}\S{{0,40}}…\[masked\])|[\"']?(?P<line>[^\n\"']+)")
_SCHEME_WORD = re.compile(r"(?i:bearer|basic|token|digest|apikey|negotiate)\s{1,3}")

# Segments of a name, in any spelling: hfToken, HF_TOKEN, hf-token.
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SECRET_NAME = re.compile(
    r"(?:^|.*_)(?:[a-z0-9]*password|passwd|passphrase|passcode|secret|credentials?|jwt|api_?keys?|(?:access|secret|private|auth"
    r"|account|encryption|signing|shared|master|license|session)_?key(?:_id)?|(?:auth|api|access|hf|bearer)_tokens?"
    r"|(?:db|user|root|admin|my|pg)_?pwd|authorization|cookie|dockerconfigjson)"
)
_WHOLE_LINE = ("authorization", "cookie")
_TOKEN_OF_TEXT = frozenset(
    "eos bos pad unk sep cls mask image img video audio stop next last first output input per num max min special placeholder"
    " begin end start think prompt generated decoding decode prefill new sampled draft bonus padding invalid unexpected context"
    " patch boi eoi eot trigger role total cached added single each extra query tool call separator bad forced".split()
)
# Values that are no secret: nothing, a type, a place-holder, code that fetches it, a path of a file that holds it.
_HARMLESS = re.compile(
    r"(?:(?i:none|null|nil|true|false|empty|unset|redacted|masked|hidden|not set|missing|required|invalid|str|int|bytes|bool|string)"
    r"|[*x•.\-_]+|[<$%{].*|\[?\]?|[*]+.*"
    r"|(?:os\.|self\.|args\.|kwargs\.|config\.|settings\.|get\w*\(|getattr\(|Optional\b|Union\b|SecretStr\b).*"
    r"|(?i:your|my|some|example)[_ -].*|[A-Z_]*(?:KEY|TOKEN|SECRET|PASSWORD|PASS|CREDENTIALS?)(?:_HERE)?|\.{0,2}/.*)",
    re.DOTALL,
)
_IDENTIFIER = re.compile(r"[A-Za-z_][\w.]*")


def safe(text: str) -> str:
    """The text with secrets masked and control sequences, hidden and direction-turning characters taken out."""
    text = visible(text)
    for _ in range(_ROUNDS):
        masked = _masked(text)
        if masked == text:
            break
        text = masked
    return text


def safe_value(name: str, text: str) -> str:
    """`safe` for a value whose name is known: what stands under the name of a secret is masked as a whole."""
    text = safe(text)
    if MASK in text or not _is_secret(name, text):
        return text
    return _mask(text, name)


def visible(text: str) -> str:
    """The text without anything that is not shown as a character; line ends and tabs are kept."""
    text = _BREAK.sub(" ", _SEQUENCE.sub("", text))
    return _SURROGATE.sub("\ufffd", _UNSEEN.sub("", text))


def _masked(text: str) -> str:
    text = _PRIVATE_KEY.sub(lambda match: match[1] + MASK, text)
    text = _TOKEN.sub(lambda match: _mask(match[0]), text)
    for pattern in _SURROUNDED:
        text = pattern.sub(lambda m: m[0] if _is_harmless(m[2]) else m[1] + _mask(m[2], "password") + m[3], text)
    return "".join(_named_masked(text))


def _named_masked(text: str) -> Iterator[str]:
    """The text in pieces, values of secret names masked. One walk from left to right: no part is looked at twice."""
    position = written = 0
    while match := _NAME.search(text, position):
        position = match.end()
        name = match["name"]
        if not _sounds_secret(name) or not _is_joined(match):
            position = match.end("name") + 1 if match["join"][-1:].isspace() and "=" not in match["join"] else position
            continue
        pattern = _LINE_VALUE if _segments(name).endswith(_WHOLE_LINE) else _VALUE
        value = pattern.match(text, position)
        if value is None:
            continue
        position = value.end()
        group = value.lastgroup or "done"
        if group != "done" and _is_secret(name, value[group], text[position : position + 1]):
            yield text[written : value.start(group)] + _mask(value[group], name)
            written = value.end(group)
    yield text[written:]


def _is_joined(match: re.Match[str]) -> bool:
    """A blank or a comma joins only an option to its value: --api-key VALUE, ["--api-key", "VALUE"]."""
    return any(sign in match["join"] for sign in "=:") or match.string.startswith("--", max(0, match.start() - 2))


def _is_secret(name: str, value: str, after: str = "") -> bool:
    """Whether this value under this name is to be masked; `after` is the character that follows it."""
    if not _sounds_secret(name) or _is_harmless(value) or (after == "(" and _IDENTIFIER.fullmatch(value)):
        return False
    last = _segments(name).rpartition("_")[2]
    if _segments(name) in ("token", "auth"):
        return len(value) >= 8 and (any(c.isdigit() for c in value) or len(value) >= 20) and not value.isdigit()
    return not (last in ("token", "tokens") and value.isdigit() and len(value) < 8)


def _is_harmless(value: str) -> bool:
    if MASK in value or _HARMLESS.fullmatch(value.strip()):
        return True
    return bool(_IDENTIFIER.fullmatch(value)) and _sounds_secret(value)  # api_key=api_key: a name in code


def _sounds_secret(name: str) -> bool:
    segments = _segments(name)
    if _SECRET_NAME.fullmatch(segments):
        return True
    rest, _, last = segments.rpartition("_")
    return segments in ("token", "auth") or (last == "token" and rest.rpartition("_")[2] not in _TOKEN_OF_TEXT)


def _segments(name: str) -> str:
    """A name in one spelling: lower case, joined by "_"."""
    return re.sub(r"[\W_]+", "_", _CAMEL.sub("_", name)).lower().strip("_").removesuffix("_provided")


def _mask(secret: str, name: str = "") -> str:
    """The kind and a few characters of the secret, so that its owner knows which one it was; nothing of a password."""
    scheme = _SCHEME_WORD.match(secret)
    shown = scheme[0] if scheme else ""
    secret = secret[len(shown) :]
    if kind := _KIND.match(secret):
        return shown + secret[: kind.end() + 2] + MASK
    keep = 0 if "pass" in name.lower() or "pwd" in name.lower() or secret[:1] in "[\"'" else min(4, len(secret) // 4)
    return shown + secret[:keep] + MASK
