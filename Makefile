# The verbs of the project. `make run` on a fresh machine needs a Python >= 3.12 and nothing else.
PYTHON = .venv/bin/python
.DEFAULT_GOAL := help
.PHONY: help environment setup run test lint format types imports migrate messages bench e2e screenshots fresh check

help: ## list the verbs
	@grep -E '^[a-z0-9]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

environment:
	@python=$$(sh portal/find_python.sh) && "$$python" -I portal/bootstrap.py

setup: environment ## make .venv, tables, catalog, translations, demo accounts and a sample request
	@$(PYTHON) -m portal.run --only-setup

run: environment ## set up and start web, worker, scheduler and broker; Ctrl-C stops them
	@exec $(PYTHON) -m portal.run

test: environment ## run the tests, on PostgreSQL and Redis where they are reachable
	@$(PYTHON) -m portal.testing $(ARGS)

lint: ## style of code and templates
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m djlint templates --lint --quiet

format: ## let the formatter write
	$(PYTHON) -m ruff check --fix-only .
	$(PYTHON) -m ruff format .

types: ## mypy, strict
	$(PYTHON) -m mypy

imports: ## who may import whom
	.venv/bin/lint-imports

migrate: ## write and apply migrations
	$(PYTHON) manage.py makemigrations
	$(PYTHON) manage.py migrate

messages: ## collect strings into the catalog (needs GNU gettext) and compile it
	$(PYTHON) manage.py makemessages --locale ru --no-obsolete --no-location --ignore '.venv/*' --ignore 'tests/*'
	$(PYTHON) -c "from portal.translations import compile_catalogs as c; c()"

bench: ## print the benchmarks' ratios
	for subject in tests/benchmarks/[a-z]*.py; do $(PYTHON) -m tests.benchmarks.$$(basename $$subject .py); done

e2e: environment ## the browser's walks alone
	@$(PYTHON) -m portal.testing -m browser $(ARGS)

screenshots: environment ## pictures of every page into screenshots/
	@$(PYTHON) -m tests.e2e.screenshots

check: lint types imports ## everything that reads the code without running it
	$(PYTHON) manage.py makemigrations --check --dry-run

fresh: ## forget this machine's data (not the environment)
	rm -rf .var
