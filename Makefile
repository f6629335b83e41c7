# Every command makes its own set-up: on a fresh machine with Python 3.11 or later,
# `make demo` and `make test` are all there is to type.

VENV  := .venv
BIN   := $(VENV)/bin
READY := $(VENV)/.windrow-ready

# The first of these that is 3.11 or later and can make a virtual environment.
PYTHONS ?= python3 python3.13 python3.12 python3.11 python3.14 python
# Test processes: two of them wait for Spark now and then, so more than cores.
WORKERS ?= 3

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup demo test test-deep test-faults test-quick test-matrix test-mutants \
    coverage check format bench bench-spark bench-stream bench-all \
    bench-papers docs dist clean clean-venv

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' Makefile

setup: $(READY) ## make .venv with exact versions; the other targets do it themselves
	@echo "$(VENV) is ready"

demo: $(READY) ## a year of New York flights on Spark: answers, timings and a picture
	@$(BIN)/windrow demo

test: $(READY) ## the test suite, a few minutes
	@$(BIN)/python -m pytest -q -n $(WORKERS) --dist loadgroup

test-deep: export WINDROW_TEST_PROFILE = deep
test-deep: $(READY) ## the same with many more examples each
	@$(BIN)/python -m pytest -q -n $(WORKERS) --dist loadgroup

test-quick: $(READY) ## tests of what changed since main, under a minute; K= chooses by name
	@$(BIN)/python -m tools.quick_tests

test-matrix: $(READY) ## Spark tests on every Spark, and with the oldest and newest libraries
	@$(BIN)/python -m tools.matrix $(ENTRIES)

coverage: $(READY) ## lines that no test runs: coverage/missed.txt
	@$(BIN)/python -m tools.coverage

test-mutants: $(READY) ## change a sample of lines one by one: a test must fail each time
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	    -c constraints.txt -e '.[mutants]'
	@$(BIN)/python -m tools.mutants

test-faults: export WINDROW_TEST_PROFILE = faults
test-faults: $(READY) ## streams that are killed a hundred times, up to an hour
	@$(BIN)/python -m pytest -q -n 2 --dist load -m faults

check: $(READY) ## lint, format, types, import directions
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: $(READY) ## let ruff lay the code out
	@$(BIN)/ruff check --fix --select I
	@$(BIN)/ruff format

REPORT = $(BIN)/windrow bench report --into docs/bench --size full \
    --page docs/results.md --readme README.md

bench: $(READY) ## measure every bar in process; writes docs/results.md
	@$(BIN)/windrow bench run bars --full --into docs/bench
	@$(REPORT)

bench-spark: $(READY) ## the bars on Spark, against Spark's own windows
	@$(BIN)/windrow bench run bars-on-spark --full --into docs/bench
	@$(REPORT)

bench-stream: $(READY) ## the bars on streams, against Spark's own aggregate
	@$(BIN)/windrow bench run bars-on-streams --full --into docs/bench
	@$(REPORT)

bench-all: $(READY) ## all bars: in process, on Spark and on streams
	@$(BIN)/windrow bench run bars bars-on-spark bars-on-streams --full --into docs/bench
	@$(REPORT)

bench-papers: $(READY) ## every experiment of the papers, hours: docs/bench/report.html
	@$(BIN)/windrow bench run ra slickdeque pba lightsaber ses --full --into docs/bench
	@$(REPORT)

docs: export NO_MKDOCS_2_WARNING = 1
docs: $(READY) ## write tables and pictures, build the documentation into site/
	@$(BIN)/python tools/tables.py
	@$(BIN)/python -m tools.pictures
	@$(REPORT)
	@$(BIN)/python -m mkdocs build --strict
	@echo "open site/index.html"

dist: $(READY) ## build both distributions into dist/ and check them
	@rm -rf dist
	@$(BIN)/python -m build --outdir dist .
	@$(BIN)/python -m build --outdir dist bench
	@$(BIN)/python -m twine check --strict dist/*

clean: ## remove what tests, tools and the demo leave behind
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	rm -rf demo-output build dist site src/*.egg-info
	rm -rf bench/build bench/dist bench/src/*.egg-info
	find . -path ./$(VENV) -prune -o -name __pycache__ -type d -print | xargs rm -rf

clean-venv: ## remove .venv, so that the next command makes it anew
	rm -rf $(VENV)

$(READY): pyproject.toml bench/pyproject.toml constraints.txt
	@found=; for python in $(PYTHONS); do \
	    if $$python -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' \
	        2>/dev/null; then found=$$python; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
	    echo "cannot set up Windrow: no Python 3.11 or later with the venv module here"; \
	    echo "(looked for: $(PYTHONS))"; \
	    echo "Hint: install one (Debian, Ubuntu: apt install python3 python3-venv),"; \
	    echo "      or name it: make PYTHONS=/path/to/python3.12 setup"; \
	    exit 1; \
	fi; \
	echo "Setting up $(VENV) with $$($$found --version); the first time takes a minute or two ..."; \
	$$found -m venv $(VENV) && \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	    -c constraints.txt -e '.[dev]' -e ./bench
	@touch $@
