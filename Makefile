PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEV := $(VENV)/.ready-dev
PIP := $(BIN)/python -m pip install --disable-pip-version-check --progress-bar off -c constraints.txt
# Installing takes a minute or more: pip's many lines become one for each step, and a counter on a terminal.
SHOW_STEPS := count=0; while read -r word name rest; do case "$$word" in \
	Collecting) count=$$((count + 1)); \
	  if [ -t 1 ]; then printf '\r\033[K  fetching packages: %d (%s)' $$count "$${name%%[<>=\![]*}"; \
	  elif [ $$((count % 20)) -eq 0 ]; then echo "  $$count packages"; fi ;; \
	Installing) [ "$$name" != collected ] || { \
	  [ ! -t 1 ] || printf '\r\033[K'; echo "  installing …"; } ;; \
	esac; done
# Installs $(1), and makes $@ only if that succeeds: pip's exit code is lost in the pipe.
define INSTALL
@rm -f $@
@{ $(PIP) $(1) && touch $@; } | { $(SHOW_STEPS); }
@test -e $@
endef

.PHONY: demo test check bench docs clean

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Windrow needs Python 3.11 or newer; set PYTHON=python3.11")'
	@echo "Setting up, once (a minute or two):"
	@echo "  making the virtual environment $(VENV) …"
	@$(PYTHON) -m venv $(VENV)
	@echo "  fetching the packages that Windrow needs …"
	$(call INSTALL,-e .)
	@echo "  ready"

$(DEV): $(READY)
	@echo "Adding what the tests need, once:"
	@echo "  fetching the packages …"
	$(call INSTALL,-e '.[dev]')
	@echo "  ready"

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
	@$(PIP) --quiet -e '.[bench]'
	@$(BIN)/python -m bench

docs: $(DEV)  ## write the reference pages again from the code
	@$(BIN)/python -m docs.build

clean:
	rm -rf $(VENV) demo-library
