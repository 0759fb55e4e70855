# Set-up, checks and measurements. `make eval` and `make test` work in a fresh clone and need no Docker.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
INSTALL := $(PIP) install --quiet --quiet --constraint constraints.txt
RUNS ?= runs
SUITE ?= core
PYTEST_ARGS ?=

# A stamp is written after an installation is complete, so an interrupted one is taken up again, and it is older
# than pyproject.toml and constraints.txt whenever those ask for something new.
EVALS := $(VENV)/.evals-installed
DEV := $(VENV)/.dev-installed

.NOTPARALLEL:
.PHONY: help eval determinism gate bench test pages lint format types check image constraints clean

help: ## Show this list.
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 14

eval: $(EVALS) ## Replay the suite SUITE (core), score it, and write a report below RUNS (runs).
	$(BIN)/illumina-eval run $(SUITE) --out $(RUNS)

determinism: $(EVALS) ## Prove that the same memory gives the same bytes.
	$(BIN)/illumina-eval determinism $(SUITE)

gate: $(EVALS) ## Fail if the ranking changed without a recorded run (docs/gate.md).
	$(BIN)/illumina-eval gate core
	$(BIN)/illumina-eval gate skerrow

bench: $(EVALS) ## Measure how fast retain and recall are.
	$(BIN)/illumina-eval bench

# Files go to the processes in the order of tests/conftest.py. Their own order puts those of few tests last, which are long ones.
# Many tests start a process, which is to load compiled code, whatever the environment says of writing it.
test: $(DEV) ## Run all tests but those that need Docker or Chromium; PYTEST_ARGS are passed on.
	PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -n auto --dist loadfile --no-loadscope-reorder -m "not testcontainers and not browser" $(PYTEST_ARGS)

pages: $(DEV) ## Look at the reports in headless Chromium; pictures are left in .cache/pages.
	$(BIN)/pytest -m browser

lint: $(DEV) ## Check style and form.
	$(BIN)/ruff check
	$(BIN)/ruff format --check

format: $(DEV) ## Mend style and form.
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

types: $(DEV) ## Check types.
	$(BIN)/mypy

check: lint types test ## What a change must pass.

image: $(EVALS) ## Make the container image of PostgreSQL with pgvector (root, debootstrap and Docker needed).
	docker/with-engine.sh docker/build-image.sh

constraints: $(DEV) ## Pin what is installed now, after a deliberate change.
	$(PIP) freeze --all --exclude pip --exclude illumina 2>/dev/null | sed 's/+cpu$$//' | LC_ALL=C sort >constraints.new
	@mv constraints.new constraints.txt
	@touch $(EVALS) $(DEV)

clean: ## Remove the environment and what tools left behind; runs stay.
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist

define make-venv
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	echo "$(PYTHON) is missing or older than 3.11: run make PYTHON=/path/to/python3.11" >&2; exit 1; }
@test -x $(BIN)/pip || { echo "Making $(VENV) ..."; $(PYTHON) -m venv --clear $(VENV); } || { \
	echo "On Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
endef

$(EVALS): pyproject.toml constraints.txt
	$(make-venv)
	@echo "Installing the engine and the harness (1.5 GB and a few minutes, once) ..."
	@$(INSTALL) --editable '.[evals]'
	@touch $@

# torch has a call of its own: pip then takes whichever build lies nearest, where one call for everything would
# settle on the build with several gigabytes of CUDA.
$(DEV): pyproject.toml constraints.txt
	$(make-venv)
	@echo "Installing torch (for tests only) ..."
	@$(INSTALL) torch==2.13.0
	@echo "Installing the engine, the harness and the tools (a few minutes, once) ..."
	@$(INSTALL) --editable '.[dev]'
	@touch $(EVALS) $@
