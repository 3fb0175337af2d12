# Every target sets up what it needs: only Python 3.11 or newer and make are expected.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: demo test check format bench docs real-vllm clean

demo: $(READY)  ## diagnose a real failed start
	@echo '$$ firstcause diagnose examples/failed-start.log'
	@$(BIN)/firstcause diagnose examples/failed-start.log; test $$? -eq 1

test: $(READY)  ## all tests; those that need the real vLLM run when `make real-vllm` has been run
	$(BIN)/python -m pytest

check: $(READY)  ## lint, types, knowledge
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/firstcause catalog check

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(READY)  ## speed and accuracy beside other ways, as ratios in one run
	$(BIN)/python bench/run.py

docs: $(READY)  ## the pages of all failures and the coverage table, from the knowledge itself
	$(BIN)/python scripts/build_docs.py

real-vllm:  ## a real vLLM (CPU build, about 3.5 GB) for the tests that start one
	PYTHON=$(PYTHON) bash scripts/install-real-vllm.sh

$(READY): pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache bench/data
