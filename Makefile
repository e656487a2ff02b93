PYTHON ?= python3
PORT ?= 8000
BIN := .venv/bin
READY := .venv/.ready
SITE := build/_build/html
# all that the site is made from; folders too, so that a removed file counts (book/. is no target)
SOURCES := $(shell find book/. data models _config.yml CITATION.cff CHANGELOG.md -not -path '*/__pycache__*')

# run a command when no other make is at work on the environment or the site of this checkout
define ALONE
import fcntl, os, sys
try:
    os.makedirs("build", exist_ok=True)
    lock = os.open("build/.lock", os.O_CREAT | os.O_RDWR)
except OSError as error:
    sys.exit(f"Nothing can be built in this folder: {error.filename}: {error.strerror}")
os.set_inheritable(lock, True)
try:
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
except OSError:
    print("Another make is at work in this folder: waiting for it.", flush=True)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
    except KeyboardInterrupt:
        sys.exit(130)
os.execvp(sys.argv[1], sys.argv[1:])
endef
export ALONE
ALONE_MAKE = @command -v $(PYTHON) >/dev/null || \
		{ echo "No Python at $(PYTHON): make PYTHON=/path/to/python3.11"; exit 1; }; \
	$(PYTHON) -c "$$ALONE" $(MAKE) --no-print-directory
# processes run side by side: threads of linear algebra in each would mostly wait for one another
export OPENBLAS_NUM_THREADS ?= 1

# set up a virtual environment with pinned packages: $(call environment,folder,requirements). pip brings uv, which
# brings the others in less time, from the index that pip is set to; both refuse a file whose hash is another
define environment
@echo "setting up $(1) with the pinned requirements: a minute or two"
@$(PYTHON) -m venv --clear $(1)
@$(1)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-uv.txt
@index="$$($(1)/bin/python -m pip config list | sed -nE "s/^(:env:|global)\.index-url='(.*)'$$/\2/p" | head -n 1)"; \
	UV_DEFAULT_INDEX="$${UV_DEFAULT_INDEX-$$index}" \
	$(1)/bin/uv pip install --quiet --python $(1)/bin/python --compile-bytecode --require-hashes -r $(2)
endef
# the library as it stands here, into such an environment
own = @$(1)/bin/uv pip install --quiet --python $(1)/bin/python --no-deps --no-build-isolation -e .
# beside the environments, into which uv links the files that it keeps
export UV_CACHE_DIR ?= $(CURDIR)/build/uv

.DEFAULT_GOAL := help
.PHONY: help setup pins book site pdf epub slides test prove versions serve lab study lint clean

help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## /make \1	/p' Makefile | expand -t 18

$(READY): requirements.txt requirements-uv.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Flash Wear needs Python 3.11 or newer: make PYTHON=/path/to/python3.11"; exit 1; }
	$(call environment,.venv,requirements.txt)
	$(call own,.venv)
	@touch $@

setup: ## set up .venv with the pinned requirements
	$(ALONE_MAKE) $(READY)

COMPILE = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--custom-compile-command "make pins" $(PINS)
pins: setup ## resolve the requirements anew, versions as they are (PINS=--upgrade: the newest)
	@echo uv | $(COMPILE) - -o requirements-uv.txt
	@$(COMPILE) requirements.in -o requirements.txt
	@$(COMPILE) requirements-lab.in -c requirements.txt -o requirements-lab.txt
	@$(COMPILE) requirements-editions.in -o requirements-editions.txt

$(SITE)/index.html: $(READY) $(SOURCES)
	@$(BIN)/python book/build.py
	@touch $@

site: $(SITE)/index.html
	@:

book: ## build the book
	$(ALONE_MAKE) site
	@echo "The book is at file://$(CURDIR)/$(SITE)/index.html (or: make serve)"

.venv-editions/.ready: requirements-editions.txt requirements-uv.txt
	$(call environment,.venv-editions,requirements-editions.txt)
	@touch $@

pdf: book .venv-editions/.ready ## make the book as a PDF
	@.venv-editions/bin/python book/editions/make.py pdf

epub: book .venv-editions/.ready ## make the book as an EPUB
	@.venv-editions/bin/python book/editions/make.py epub

slides: book .venv-editions/.ready ## make slides of the chapters that have a quiz
	@.venv-editions/bin/python book/editions/slides.py

test: book ## build the book and check everything that must hold
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder

prove: setup ## run the long proofs not yet passed on the code of today (PART="ftl wa": these)
	@$(BIN)/python tests/prove.py $(PART)

versions: setup ## lint and test with every Python here, and with the oldest and newest packages allowed
	@$(BIN)/python tests/versions.py $(CASE)

serve: book ## build the book and serve it on this machine
	@echo "http://127.0.0.1:$(PORT)/ (Ctrl-C ends)"
	@$(BIN)/python -m http.server $(PORT) --bind 127.0.0.1 --directory $(SITE)

.venv-lab/.ready: requirements-lab.txt requirements-uv.txt pyproject.toml
	$(call environment,.venv-lab,requirements-lab.txt)
	$(call own,.venv-lab)
	@mkdir -p build/lab/@jupyterlab/docmanager-extension
	@echo '{"defaultViewers": {"markdown": "Jupytext Notebook"}}' \
		> build/lab/@jupyterlab/docmanager-extension/plugin.jupyterlab-settings
	@touch $@

lab: .venv-lab/.ready ## open the chapters as notebooks in JupyterLab
	JUPYTERLAB_SETTINGS_DIR=build/lab .venv-lab/bin/jupyter lab $(LAB) book

study: setup ## make the kept tables again that are not current (long; goes on where it stopped)
	$(BIN)/python -m flashwear_book

lint: setup ## style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python book/_ext/cells.py
	$(BIN)/mypy
	$(BIN)/lint-imports

clean: ## remove everything that was built
	rm -rf .venv .venv-lab .venv-editions .cache build dist
	rm -rf .pytest_cache .ruff_cache .mypy_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
