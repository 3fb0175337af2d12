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
# What stands around a secret gives it away: (before, the secret, after). A mask that follows it already is taken in.
_SURROUNDED = tuple(
    re.compile(rf"({before})({secret})(?:…\[masked\])*({after})")
    for before, secret, after in (
        # Bearer 8f14e45f…, Basic dXNlcjpwYXNz
        (r"\b(?:[Bb]earer|BEARER)\s{1,3}", r"(?=[^\s\d]{0,60}\d|\S{24})[A-Za-z0-9._~+/=-]{8,}", ""),
        (r"\bBasic\s{1,3}", r"(?=[A-Za-z+/]{0,60}[0-9=])[A-Za-z0-9+/]{8,}={0,2}", ""),
        # https://user:password@host; the last "@" before the path ends the password
        (r"://[^\s/:@'\"<>]{0,200}:", r"[^\s/'\"<>]{1,400}", "@"),
        (r"://", r"[A-Za-z0-9_-]{20,200}", "@"),
        (r"hooks\.slack\.com/(?:services|workflows)/", r"[A-Za-z0-9/_-]+", ""),
        # curl -u user:password; "-u 1000:1000" is a user id
        (r"(?:^|\s)(?:-u|--user)[ =]['\"]?[^\s:'\"/]{1,100}:", r"(?!\d+(?:['\"\s]|$)|//)[^\s'\"]+", ""),
        (r"\blogin\s{1,3}\S{1,100}\s{1,3}password\s{1,3}", r"\S+", ""),
        # ?X-Amz-Signature=…&sig=…
        (r"[?&](?:sig|signature|X-Amz-[A-Z][A-Za-z-]{2,30})=", r"[^\s&'\"<>#]{6,}", ""),
        # ?key=…; what is joined of parts (key=mooncake%2Fram%2F10.0.0.1) is a name
        (r"[?&](?:key|token|code)=", r"[A-Za-z0-9_.~+=-]{8,}(?![%/:…\w.~+=-])", ""),
    )
)

# A name and what joins it to its value: HF_TOKEN=, 'api_key': , {"name": "HF_TOKEN", "value": , API key provided: , --api-key
_NAMED = re.compile(
    r"(?<![\w./-])(?P<name>(?i:api key)(?: provided)?|[A-Za-z_.][\w.-]{0,80}+)"
    r"\\{0,3}[\"']?(?:,?\s{0,40}\\{0,3}[\"']?value\\{0,3}[\"']?)?\s{0,3}(?::=|=>|=|:)\s{0,3}"
    r"|--(?P<option>[A-Za-z][\w-]{1,60}+)[\"']?(?:=|,\s{0,3}|\s{1,3})"
)
# The value after it: what is masked already, quoted, a list, or a run of characters.
_SCHEME = r"(?i:(?:bearer|basic|token|digest|apikey|negotiate)\s{1,3})"
_VALUE = re.compile(
    rf"(?P<done>[\"'\[]?{_SCHEME}?[^\s\"']{{0,40}}…\[masked\])"
    r"|\"(?P<double>(?:[^\"\\\n]|\\.)*)"
    r"|'(?P<single>(?:[^'\\\n]|\\.)*)"
    r"|\\{1,3}[\"'](?P<escaped>[^\"'\\\n]*)"
    r"|(?P<list>\[[^\]\n]*\]?)"
    rf"|(?P<bare>{_SCHEME}?[^\s\"',;&()\]}}<>\[{{][^\s\"',;&)\]}}>]*)"
)
_COOKIES = re.compile(r"(?P<done>[\"']?[^\s\"']{0,40}…\[masked\])|[\"']?(?P<line>[^\n\"'=]{1,200}=[^\n\"']+)")
_SCHEME_WORD = re.compile(_SCHEME)
_DONE = re.compile(rf"{_SCHEME}?\S{{0,40}}…\[masked\]")

# Names in one spelling: hfToken, HF_TOKEN, hf-token are hf_token.
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SECRET_NAME = re.compile(
    r"(?:.*_)?(?:[a-z0-9]*password|passwd|passphrase|passcode|secret|credentials?|jwt|api_?keys?|authorization|cookies?"
    r"|(?:access|secret|private|auth|account|encryption|signing|shared|master|license|session)_?key(?:_id)?|auth"
    r"|(?:auth|api|access|hf|bearer)_?tokens?|(?:identity|registry|refresh)?token|(?:db|user|root|admin|my|pg)_?pwd|dockerconfigjson)"
)
_TOKEN_OF_TEXT = re.compile(
    r"(?:.*_)?(?:eos|bos|pad|unk|sep|cls|mask|image|img|video|audio|stop|next|last|first|output|input|per|num|max|min|special"
    r"|placeholder|begin|end|start|think|prompt|generated|decod\w+|prefill|new|sampled|draft|bonus|padding|invalid|unexpected"
    r"|context|patch|boi|eoi|eot|trigger|role|total|cached|added|single|each|extra|query|tool|call|separator|bad|forced|from|act)_token"
)
# Names that prose uses as well ("token: expected"): only a value that looks random is masked.
_DOUBTFUL = ("token", "auth", "secret", "credential", "credentials", "authorization", "proxy_authorization", "jwt")
# Values that are no secret: nothing, a type, a place-holder, the file that holds it.
_HARMLESS = re.compile(
    r"(?i:none|null|nil|true|false|empty|unset|redacted|masked|hidden|not set|field|missing|required|invalid)"
    r"|string|str|int|bytes|bool"
    r"|[*x•.\-_]+|\*{3,}.*|<[^<>]*>?|\$\{.*|\$\(.*|\$[A-Z_]+|%\(.*|%[A-Z_]+%|%[a-z]|\{\{?.*|\w{0,12}\.{3}|\[?\]?|\[None\]"
    r"|(?i:your|example)[_ -].*|[A-Z_]*(?:KEY|TOKEN|SECRET|PASSWORD|PASS|CREDENTIALS?)(?:_HERE)?"
    r"|/(?:run|etc|var|home|root|mnt|tmp|opt|usr|secrets?|data|app|workspace|models?)/.*",
    re.DOTALL,
)
# Code that names or fetches it: api_key=self.api_key, token=os.environ["HF_TOKEN"], password=get_password()
_IDENTIFIER = re.compile(r"[A-Za-z_][\w.]*")
_CODE = re.compile(
    r"(?:os|self|args|kwargs|config|settings|request|headers)\b.*|(?:\w+\.)?get\w*\(.*|(?:Optional|Union|SecretStr|str|input)[\[(].*"
)
# "--api-key is required": what may follow an option in prose
_PROSE = re.compile(
    r"(?:or|and|is|to|for|in|with|must|was|not|can|should|if|when|as|from|option|flag|argument|value|the|an?|requires?|expected"
    r"|needs?|has|are|will|set|given|passed)[.:)]?"
)


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
    if _DONE.fullmatch(text) or not _is_secret_name(name) or not _is_secret(name, text):
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
    while match := _NAMED.search(text, position):
        position = match.end()
        name = match["name"] or match["option"]
        if not _is_secret_name(name):
            continue
        value = (_COOKIES if "cookie" in name.lower() else _VALUE).match(text, position)
        if value is None:
            continue
        group = value.lastgroup or "done"
        found = value[group]
        prose = match["option"] and _PROSE.fullmatch(found)
        code = group == "bare" and not name.isupper() and _is_code(found, text[value.end() : value.end() + 1])
        if group == "done" or prose or code or not _is_secret(name, found):
            continue
        position = value.end()
        yield text[written : value.start(group)] + _mask(found, name)
        written = position
    yield text[written:]


def _is_secret(name: str, value: str) -> bool:
    """Whether this value, under a name of a secret, is one."""
    if _is_harmless(value):
        return False
    name = _spelled(name)
    secret = _SCHEME_WORD.sub("", value, count=1)
    if name in _DOUBTFUL and not value.lower().startswith(("bearer ", "basic ")):
        return len(secret) >= 20 or (len(secret) >= 8 and any(c.isdigit() for c in secret) and not secret.isdigit())
    return not (name.endswith(("token", "tokens")) and value.isdigit() and len(value) < 8)


def _is_harmless(value: str) -> bool:
    return MASK in value or _HARMLESS.fullmatch(_SCHEME_WORD.sub("", value.strip().rstrip("\\"), count=1)) is not None


def _is_code(value: str, after: str) -> bool:
    if _CODE.fullmatch(value):
        return True
    return _IDENTIFIER.fullmatch(value) is not None and (after == "(" or _is_secret_name(value))


def _is_secret_name(name: str) -> bool:
    name = _spelled(name)
    return _SECRET_NAME.fullmatch(name) is not None and _TOKEN_OF_TEXT.fullmatch(name) is None


def _spelled(name: str) -> str:
    """A name in one spelling: lower case, joined by "_"."""
    return re.sub(r"[\W_]+", "_", _CAMEL.sub("_", name)).lower().strip("_").removesuffix("_provided")


def _mask(secret: str, name: str = "") -> str:
    """The kind and a few characters of the secret, so that its owner knows which one it was; nothing of a password."""
    scheme = _SCHEME_WORD.match(secret)
    shown = scheme[0] if scheme else ""
    secret = secret[len(shown) :]
    if kind := _KIND.match(secret):
        return shown + secret[: kind.end() + (2 if len(secret) > kind.end() + 8 else 0)] + MASK
    hidden = "pass" in name.lower() or "pwd" in name.lower() or not secret[:4].isalnum()
    return shown + ("" if hidden else secret[: min(4, len(secret) // 4)]) + MASK
