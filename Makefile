# What developers and CI run. Needs make and Python 3.11 or newer; `make help` lists the targets.

# The first Python that is new enough; name another with `make PYTHON=/path/to/python …`.
PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$python; break; }; done)
VENV ?= .venv
BIN := $(VENV)/bin

# Further arguments for pytest, such as TESTS="tests/contract -k watch".
TESTS ?=
# Processes that tests run in; a file's tests stay together, since servers are shared by them.
JOBS ?= 2

.DEFAULT_GOAL := help

.PHONY: help
help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 18

.PHONY: demo
demo: $(VENV)/.run ## Judge two schedulers on a small scenario; writes runs/demo/report.html
	$(BIN)/evaluator run scenarios/quickstart.py --scheduler lst --scheduler fifo --out runs/demo --report

.PHONY: test
test: $(VENV)/.dev ## Run all tests; those that need Go are skipped, with the reason, where there is none
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile $(TESTS)

.PHONY: lint
lint: $(VENV)/.dev ## Check style, types and which module may import which
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

.PHONY: format
format: $(VENV)/.dev ## Put the code into its standard form
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

.PHONY: fidelity
fidelity: $(VENV)/.dev ## Hold fakeapi's answers to those of a real kube-apiserver (needs Go); docs/fidelity.md has the table
	$(BIN)/python -m pytest -q tests/fidelity $(TESTS)
	@$(BIN)/python -m tests.fidelity.document --print

.PHONY: bench-api
bench-api: $(VENV)/.dev ## Measure the API beside a real kube-apiserver with etcd (needs Go, takes minutes)
	$(BIN)/python -m benchmarks.api

.PHONY: kube-scheduler
kube-scheduler: has-python ## Build a current kube-scheduler into the cache, if it is not there (needs Go)
	$(PYTHON) -m tools.build_peers $@

.PHONY: kubectl
kubectl: has-python ## Build a current kubectl into the cache, if it is not there (needs Go)
	$(PYTHON) -m tools.build_peers $@

.PHONY: peers
peers: has-python ## Build every program that tests and benchmarks run against (needs Go)
	$(PYTHON) -m tools.build_peers

.PHONY: clean
clean: ## Remove the environment, caches and results of this checkout; built peers stay in their cache
	rm -rf $(VENV) runs build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The environments: what a run needs, and on top of it what development needs. Each is made again only when
# what it is made from changes.
$(VENV)/.run: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $(VENV)/.run $@

$(VENV)/bin/python: | has-python
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "$(PYTHON) cannot make a virtual environment: install its venv module (Debian: apt install python3-venv)" >&2; \
		exit 1; }
	$(PYTHON) -m venv $(VENV)

.PHONY: has-python
has-python:
	@test -n "$(PYTHON)" || { \
		echo "Python 3.11 or newer is needed and not in PATH: install it, or name it with make PYTHON=/path/to/python" >&2; \
		exit 1; }
