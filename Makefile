PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready

.PHONY: demo test check bench docs clean

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Windrow needs Python 3.11 or newer; set PYTHON=python3.11")'
	@echo "Setting up $(VENV) (once) …"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $(STAMP)

demo: $(STAMP)  ## harvest a synthetic repository over HTTP and show what was found
	@$(BIN)/windrow demo

test: $(STAMP)  ## run every test
	@$(BIN)/python -m pytest -q -n auto

check: $(STAMP)  ## types, style, layers
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

bench: $(STAMP)  ## what the README claims about speed, peers beside us
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	@$(BIN)/python -m bench

docs: $(STAMP)  ## write the reference pages anew from the code
	@$(BIN)/python -m docs.build

clean:
	rm -rf $(VENV) demo-library
