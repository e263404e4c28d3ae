# Every target sets up its own virtual environment; only Python 3.11+ and make are needed.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
READY_DEV := $(VENV)/.ready-dev

.PHONY: demo test lint bench study docs dist clean

demo: $(READY)                ## learn from the bundled alarm network and show what was found
	$(BIN)/lsbn demo

test: lint                    ## lint, types, doctests and all tests
	$(BIN)/pytest -n 2

lint: $(READY_DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(READY_DEV)           ## timings as ratios, printed and never asserted
	$(BIN)/python -m benchmarks

study: $(READY)               ## the paper's tables, ours beside the published
	$(BIN)/lsbn study paper

docs: $(READY_DEV)            ## the documentation site, site/index.html; it works offline
	$(BIN)/python -m mkdocs build --strict --quiet

dist: $(READY_DEV)            ## wheel and sdist; the wheel runs the demo in an empty environment
	rm -rf dist
	$(BIN)/python -m hatchling build
	$(PYTHON) -m venv dist/empty
	dist/empty/bin/python -m pip install --quiet --disable-pip-version-check dist/lsbn-*.whl
	cd dist/empty && bin/lsbn demo
	rm -rf dist/empty

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(READY): pyproject.toml | $(VENV)/bin/python
	@echo "Installing lsbn and its packages in $(VENV), once ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(READY_DEV): pyproject.toml | $(VENV)/bin/python
	@echo "Installing lsbn, its packages and those of the tests in $(VENV), once ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@ $(READY)

clean:
	rm -rf $(VENV) site dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
