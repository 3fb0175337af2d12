"""What holds for every text that passes the masking."""

from __future__ import annotations

import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from firstcause.report.redact import safe, safe_value

PIECES = st.sampled_from(
    [
        "hf_QwErTyUiOpAsDfGh1234567890", "HF_TOKEN=", "api_key", "'", '"', "=", ": ", ":", " ", "--api-key ", "password=", "[",
        "]", "\\", '\\"', "…[masked]", "[masked]", "…", "Bearer ", "Basic ", "token ", "Authorization: ", "Cookie: a=", "://",
        "user:", "@", "abc123xyz", "sk-proj-", "eyJhbGciOiJIUzI1NiJ9", ".", "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----", "\x1b[31m", "\x1b]0;", "\x07", "\r", "\n", "\u202e", "\u200b", ", ", "&sig=", "?key=", "-u a:",
        "value: ", "login x password ", "None", "<KEY>", "$", "{", "(", ")", "AKIAIOSFODNN7EXAMPLE", "\ud800",
    ]
)  # fmt: skip
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=[])), st.lists(st.one_of(PIECES, st.text(max_size=3)), max_size=14).map("".join)
)


@settings(max_examples=1500, deadline=None)
@given(TEXTS)
def test_masking_twice_is_masking_once(text: str) -> None:
    assert safe(safe(text)) == safe(text)


@settings(max_examples=500, deadline=None)
@given(TEXTS)
def test_nothing_unseen_survives(text: str) -> None:
    shown = safe(text)
    assert not any(unicodedata.category(c) in ("Cc", "Cs") and c not in "\t\n" for c in shown)
    assert not any(c in shown for c in "\u200b\u200e\u202a\u202e\u2066\u2069\ufeff\u2028\u2029")
    shown.encode()


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(["api_key", "token", "password", "model", "", "Authorization", "cookie"]), TEXTS)
def test_a_named_value_is_stable_too(name: str, text: str) -> None:
    assert safe_value(name, safe_value(name, text)) == safe_value(name, text)


@settings(max_examples=300, deadline=None)
@given(st.text(st.characters(codec="ascii", categories=["Ll", "Lu", "Nd"]), min_size=24, max_size=60), st.text(max_size=30))
def test_a_token_is_never_shown_whole(secret: str, before: str) -> None:
    token = f"hf_{secret}1A"
    assert token not in safe(f"{before} {token} after")
