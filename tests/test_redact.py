"""Secrets are masked wherever they stand, and what only looks like one stays readable."""

from __future__ import annotations

import time

import pytest

from firstcause.report.redact import MASK, safe, safe_value, visible

# (text, what must not be left of it, what must be)
SECRETS = [
    ("export HF_TOKEN=hf_QwErTyUiOpAsDfGhJkLzXcVbNm12345678", "QwErTy", "HF_TOKEN=hf_Qw…[masked]"),
    ("401 Client Error for hf_QwErTyUiOpAsDfGhJkLzXcVbNm12345678.", "ErTyUi", "hf_Qw…[masked]."),
    ("OPENAI_API_KEY=sk-proj-9aB8cD7eF6gH5iJ4kL3mN2", "9aB8", "sk-proj-9a…[masked]"),
    ("x-api-key: sk-ant-api03-9aB8cD7eF6gH5iJ4kL3mN2", "03-9aB8", "sk-ant-ap…[masked]"),
    ("remote: ghp_9aB8cD7eF6gH5iJ4kL3mN2oP1qR0sT token", "B8cD", "ghp_9a…[masked] token"),
    ("github_pat_11ABCDEFG0abcdefghijkl_mnopqrstu", "BCDEFG0", "github_pat_11…[masked]"),
    ("glpat-9aB8cD7eF6gH5iJ4kL3m", "B8cD", "glpat-9a…[masked]"),
    ("AKIAIOSFODNN7EXAMPLE", "SFODNN7", "AKIAIO…[masked]"),
    ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "XUtn", "wJal…[masked]"),
    ("https://maps.example/x?key=AIzaSyA9aB8cD7eF6gH5iJ4kL3mN2oP1qR0sT", "SyA9", "AIza"),
    ("xoxb-123456789012-abcdefABCDEF", "3456789", "xoxb-12…[masked]"),
    ("https://hooks.slack.com/services/T000/B000/XXyyZZ11", "XXyyZZ11", "hooks.slack.com/services/"),
    ("NGC_API_KEY=nvapi-9aB8cD7eF6gH5iJ4kL3mN2oP", "B8cD", "nvapi-9a…[masked]"),
    ("WANDB_API_KEY=0123456789abcdef0123456789abcdef01234567", "456789", "WANDB_API_KEY=0123…[masked]"),
    ("Cookie: session=9aB8cD7e; theme=dark", "9aB8", "Cookie: "),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcDEF_-123 next", "bGci", "eyJh…[masked] next"),
    ("Authorization: Bearer 9aB8cD7eF6", "9aB8cD", "Authorization: Bearer "),
    ("""curl -H 'authorization: bearer abcdefgh' http://x""", "cdefgh", "bearer "),
    ("got header Bearer 9aB8cD7eF6gH5iJ4", "cD7e", "Bearer …[masked]"),
    ("Proxy-Authorization: Basic dXNlcjpwYXNzd29yZA==", "cjpw", "Basic "),
    ("curl -u admin:hunter2 https://x", "hunter2", "admin:…[masked] https"),
    ("machine h login me password s3cr3t", "s3cr3t", "login me password …[masked]"),
    ("vllm serve m --api-key abc123xyz --port 80", "123xyz", "--port 80"),
    ("vllm serve m --api-key=abc123xyz --port 80", "123xyz", "--port 80"),
    ("args: ['--api-key', 'abc123xyz', '--port']", "123xyz", "'--port'"),
    ("{'model': 'a/b', 'api_key': ['key-number-1', 'key-number-2'], 'port': 80}", "number", "'port': 80"),
    ('{\\"api_key\\": \\"abc123xyz\\", \\"n\\": 1}', "123xyz", '\\"n\\": 1'),
    ("client = OpenAI(api_key='abc123xyz', base_url=u)", "123xyz", "', base_url=u)"),
    ("config=VLLM_API_KEY=abc123xyz", "123xyz", "config=VLLM_API_KEY="),
    ("Invalid API key: abc123xyz", "123xyz", "Invalid API key: "),
    ("- name: HF_TOKEN\n  value: abc123xyz\n- name: B", "123xyz", "- name: B"),
    ('{"name": "MY_TOKEN", "value": "abc123xyz"}', "123xyz", '"}'),
    ("MYSQL_ROOT_PASSWORD=hunter2", "hunter2", "MYSQL_ROOT_PASSWORD=…[masked]"),
    ("PGPASSWORD='a b c' psql", "a b c", "psql"),
    ("redis://:hunter2@cache:6379/0", "hunter2", "@cache:6379/0"),
    ("https://user:p@ss:w0rd@host/path", "w0rd", "https://user:…[masked]@host/path"),
    ("git clone https://9aB8cD7eF6gH5iJ4kL3mN2@host/x", "cD7e", "@host/x"),
    ("-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----\nnext", "MIIE", "\nnext"),
    ("-----BEGIN OPENSSH PRIVATE KEY-----\\nb3BlbnNz", "b3Bl", "-----BEGIN OPENSSH PRIVATE KEY-----…[masked]"),
    ("tls.key: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVk=", "BSU0", "tls.key: "),
    ('{"auths": {"ghcr.io": {"auth": "dXNlcjpwYXNzd29yZA=="}}}', "cjpw", '"}}}'),
    ("//registry.npmjs.org/:_authToken=abc123xyz", "123xyz", "_authToken="),
    ("Bearer sk-proj-HF_TOKEN=hf_QwErTyUiOpAsDfGh1234567890", "QwErTy", "Bearer "),
    ("https://b.s3/x?X-Amz-Signature=abcdef0123456789&y=1", "ef0123", "&y=1"),
]

HARMLESS = [
    "Namespace(api_key=None, hf_token=True, tokenizer='meta/x', max_tokens=16, token='</s>', eos_token_id=2)",
    "api_key=None, token=token, hf_token=self.hf_token, password=get_password(), api_key=api_key",
    "token=os.environ['HF_TOKEN'], hf_token: Optional[str] = None, api_key='EMPTY'",
    """curl -H "Authorization: Bearer <API_KEY>" -H 'Authorization: Bearer $KEY' -H 'X: Bearer ${TOKEN}'""",
    "export HF_TOKEN=<your token>; HF_TOKEN=$HF_TOKEN vllm serve m --api-key KEY",
    "usage: vllm serve [--api-key API_KEY [API_KEY ...]] [--ssl-keyfile FILE]",
    "Use --hf-token or --token to login; --api-key is required",
    "Avg prompt throughput: 10.0 tokens/s, time_per_output_token: 0.02, max_num_batched_tokens=8192",
    "Unexpected token: foo at 3, next_token=151643, image_token='<image>', per_act_token=True",
    "commit 0123456789abcdef0123456789abcdef01234567, request cmpl-8f14e45fceea167a5a36dedd4bea2543",
    "revision='0123456789abcdef0123456789abcdef01234567', tokenizer_revision=None, hf_overrides={'a': 1}, hf_transfer",
    "model='meta-llama/Llama-3.1-8B-Instruct', served_model_name=sk-learn-like-a-very-long-name",
    'secret "llm-d-hf-token" not found; secretKeyRef: name: hf-secret; imagePullSecrets: []',
    "password authentication failed for user x; Failed authorization: token expired",
    "GOOGLE_APPLICATION_CREDENTIALS=/etc/gcp/key.json allow_credentials=True",
    "docker run -u 1000:1000 --user 0:0 image:tag http://host:8000/v1",
    "tcp://10.0.0.3:29500 NCCL WARN Connect to 10.0.0.82<38455> failed, bearer authentication, Basic usage",
    'check: "curl -H \\"Authorization: Bearer $HF_TOKEN\\" https://huggingface.co"; export HF_TOKEN=hf_...',
    "GET http://192.168.10.12:8080/metadata?key=mooncake%2Fram%2F192.168.10.12%3A12516 error",
    "docker run -v /etc/passwd:/etc/passwd:ro --user $(id -u) image",
    "pydantic: api_key: Field required; HF_TOKEN=**** PASSWORD=%s",
]


@pytest.mark.parametrize(("text", "gone", "kept"), SECRETS)
def test_a_secret_is_masked_and_the_rest_stays(text: str, gone: str, kept: str) -> None:
    masked = safe(text)
    assert gone not in masked
    assert kept in masked
    assert MASK in masked
    assert safe(masked) == masked


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret_stays(text: str) -> None:
    assert safe(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x9b31mred", "red"),
        ("\x1b]8;;http://evil\x07click\x1b]8;;\x07", "click"),
        ("\x1b]0;title\x1b\\after", "after"),
        ("\x1b]0;never closed", "0;never closed"),
        ("\x1bPdevice\x1b\\x", "x"),
        ("a\x1bcb", "ab"),
        ("10%\r20%", "10% 20%"),
        ("line\r\nnext\ttab", "line\nnext\ttab"),
        ("a\x00b\x08c\x7fd\x85e\u2028f", "abcd e f"),
        ("safe\u202etxt.exe\u2066\u200b\ufeff\U000e0041", "safetxt.exe"),
        ("half \ud800 pair", "half \ufffd pair"),
        ("模型 é 🙂 │ ├─", "模型 é 🙂 │ ├─"),
    ],
)
def test_no_text_drives_a_terminal(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_secret_cannot_hide_behind_unseen_characters() -> None:
    assert "QwEr" not in safe("hf\u200b_Qw\x1b[0mErTyUiOpAsDfGhJkLzXcVbNm12345678")


@pytest.mark.parametrize(
    ("name", "text", "shown"),
    [
        ("api_key", "abc123xyz", "ab…[masked]"),
        ("api_key", "None", "None"),
        ("api_key", "ab…[masked]", "ab…[masked]"),
        ("hf_token", "True", "True"),
        ("sslPassword", "hunter2", "…[masked]"),
        ("max_tokens", "abc123xyz", "abc123xyz"),
        ("token", "<|im_end|>", "<|im_end|>"),
        ("text", "HF_TOKEN=abc123xyz", "HF_TOKEN=ab…[masked]"),
    ],
)
def test_a_value_under_the_name_of_a_secret_is_masked_as_a_whole(name: str, text: str, shown: str) -> None:
    assert safe_value(name, text) == shown


HOSTILE = [
    "eyJ-" * 50_000,
    "api_key='" * 25_000,
    "token=[" * 30_000,
    "a_" * 100_000,
    "--token " * 25_000,
    "-----BEGIN PRIVATE KEY-----" * 8_000,
    "://a:" * 40_000,
    "\x1b]" * 100_000,
    "\x90" * 200_000,
    "\\" * 200_000,
    "api_key" + " " * 200_000,
    "Bearer " * 30_000,
    "curl -u a" * 20_000,
    "x" * 200_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:12]))
def test_no_text_makes_masking_slow(text: str) -> None:
    started = time.process_time()
    safe(text)
    assert time.process_time() - started < 3  # a quadratic walk over 200,000 characters takes minutes
