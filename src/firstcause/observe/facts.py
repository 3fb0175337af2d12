"""What a log says about the run itself: versions, flags, engine configuration. Remedies are filled from it."""

from __future__ import annotations

import re

# name of the fact line -> what finds it
MARKS: dict[str, bytes] = {
    "args": rb"non-default args: \{",
    "namespace": rb"args: Namespace\(",
    "config": rb"LLM engine \(?v?[^\n]* with config: ",
    "version": rb"(?:vLLM API server version|vLLM server version|[^\n]  version) v?[0-9]",
    "command": rb"(?:vllm serve |vllm\.entrypoints\.[a-z_.]*api_server )",
}

# 'max_model_len': 1024 — of a printed dict; max_model_len=1024 — of a Namespace or a configuration
_DICT_ITEM = re.compile(r"'([a-z_][a-z0-9_]*)': ('[^']*'|[^,{}\[\]()]+)")
_PAIR = re.compile(r"\b([a-z_][a-z0-9_]*)=('[^']*'|[^,{}\[\]()\s]+)")
_FLAG = re.compile(r"--([a-z][a-z0-9-]*)(?:[ =]((?!-)\S+|'[^']*'))?")
_VERSION = re.compile(r"version v?([0-9]+(?:\.[0-9A-Za-z+-]+)+)")
_ENGINE_VERSION = re.compile(r"engine \(v?([0-9]+(?:\.[0-9A-Za-z+-]+)+)\)")
_SERVED = re.compile(r"vllm serve ((?![-\[])\S+)")


def facts_in(mark: str, line: str) -> dict[str, str]:
    """The facts of one line found by a mark; names are those of the engine's arguments, "vllm" is its version."""
    if mark == "args":
        found = _items(_DICT_ITEM, line)
    elif mark == "version":
        match = _VERSION.search(line)
        return {"vllm": match[1]} if match else {}
    elif mark == "command":
        found = {name.replace("-", "_"): value.strip("'\"\\") for name, value in _FLAG.findall(line)}
        if served := _SERVED.search(line):
            found["model"] = served[1].strip("'\"")
    else:
        found = _items(_PAIR, line)
        if match := _ENGINE_VERSION.search(line):
            found["vllm"] = match[1]
    return {name: value for name, value in found.items() if value not in ("None", "")}


def _items(pattern: re.Pattern[str], line: str) -> dict[str, str]:
    return {name: value.strip().strip("'") for name, value in pattern.findall(line)}
