PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEV := $(VENV)/.ready-dev
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo test check bench docs clean

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Windrow needs Python 3.11 or newer; set PYTHON=python3.11")'
	@echo "Setting up $(VENV) (once) …"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) -e '.[documents]'
	@touch $@

$(DEV): $(READY)
	@echo "Adding what the tests need (once) …"
	@$(PIP) -e '.[dev]'
	@touch $@

demo: $(READY)  ## harvest a synthetic repository over HTTP, and serve what was found until Ctrl-C
	@$(BIN)/windrow demo || test $$? -eq 130

test: $(DEV)  ## run every test
	@$(BIN)/python -m pytest -q -n auto

check: $(DEV)  ## types, style, layers
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

bench: $(DEV)  ## the figures of docs/explain/speed.md, other programs beside ours
	@$(PIP) -e '.[bench]'
	@$(BIN)/python -m bench

docs: $(DEV)  ## write the reference pages again from the code
	@$(BIN)/python -m docs.build

clean:
	rm -rf $(VENV) demo-library
