"""A serve log as a busy vLLM 0.32 writes it: start-up, hours of access lines and periodic statistics, an engine death at the end."""

from __future__ import annotations

import random
from pathlib import Path

CHUNK = 4 << 20
PATHS = ("/v1/chat/completions", "/v1/completions", "/v1/embeddings", "/metrics", "/health")
START = """\
(APIServer pid=81) INFO 10-22 08:00:01 [api_utils.py:286] non-default args: {'model': '/models/demo-8b', 'max_model_len': 16384}
(APIServer pid=81) INFO 10-22 08:00:09 [model.py:733] Resolved architecture: LlamaForCausalLM
(EngineCore pid=212) INFO 10-22 08:00:21 [core.py:133] Initializing a V1 LLM engine (v0.32.0) with config: model='/models/demo-8b'
(Worker pid=340) INFO 10-22 08:00:30 [gpu_model_runner.py:4712] Starting to load model /models/demo-8b...
(Worker pid=340) INFO 10-22 08:01:12 [gpu_worker.py:481] Available KV cache memory: 41.27 GiB
INFO:     Application startup complete.
"""
END = """\
(Worker pid=340) ERROR 10-22 19:44:08 [multiproc_executor.py:957] WorkerProc hit an exception.
(Worker pid=340) ERROR 10-22 19:44:08 [multiproc_executor.py:957] Traceback (most recent call last):
(Worker pid=340) ERROR 10-22 19:44:08 [multiproc_executor.py:957]   File "/opt/venv/lib/python3.12/site-packages/vllm/v1/worker/gpu_model_runner.py", line 4101, in execute_model
(Worker pid=340) ERROR 10-22 19:44:08 [multiproc_executor.py:957]     model_output = self._model_forward(
(Worker pid=340) ERROR 10-22 19:44:08 [multiproc_executor.py:957] torch.AcceleratorError: CUDA error: an illegal memory access was encountered
(EngineCore pid=212) ERROR 10-22 19:44:08 [core.py:1575] EngineCore encountered a fatal error.
(APIServer pid=81) ERROR 10-22 19:44:09 [async_llm.py:906] AsyncLLM output_handler failed.
"""


def line(dice: random.Random, second: int) -> str:
    """One line of the busy middle: mostly access lines, every tenth a line of statistics."""
    clock = f"10-22 {8 + second // 3600 % 12:02}:{second // 60 % 60:02}:{second % 60:02}"
    if dice.random() < 0.1:
        return (
            f"(APIServer pid=81) INFO {clock} [loggers.py:310] Engine 000: Avg prompt throughput: {dice.uniform(0, 9000):.1f} tokens/s, "
            f"Avg generation throughput: {dice.uniform(0, 3000):.1f} tokens/s, Running: {dice.randint(0, 256)} reqs, Waiting: {dice.randint(0, 40)} reqs, "
            f"GPU KV cache usage: {dice.uniform(0, 100):.1f}%, Prefix cache hit rate: {dice.uniform(0, 90):.1f}%\n"
        )
    return (
        f"(APIServer pid=81) INFO:     10.42.{dice.randint(0, 255)}.{dice.randint(1, 254)}:{dice.randint(1024, 65535)} - "
        f'"POST {dice.choice(PATHS)} HTTP/1.1" {200 if dice.random() < 0.995 else 400} OK\n'
    )


def write(path: Path, size: int, seed: int = 7) -> Path:
    """A log of about `size` bytes; the same seed gives the same bytes."""
    dice = random.Random(seed)
    pool = []
    for _ in range(8):
        chunk, length = [], 0
        while length < CHUNK:
            chunk.append(line(dice, dice.randint(0, 40000)))
            length += len(chunk[-1])
        pool.append("".join(chunk).encode())
    with path.open("wb") as out:
        out.write(START.encode())
        written = 0
        while written < size:
            written += out.write(pool[dice.randrange(len(pool))])
        out.write(END.encode())
    return path
