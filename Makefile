# SPDX-License-Identifier: GPL-3.0-or-later
# make            sets up .venv                     PYTHON=python3.11 chooses the Python
# make test       runs the tests                    TESTS=tests/solver chooses which
# make test-all   runs them on each supported Blender: 4.5 LTS, 5.2 LTS and 5.3, each in an environment of its own
# make demo       cleans a sliding walk, with figures and a picture in demo/
# make bench      measures speed, in ratios of one run
# make drills     kills it, fills its disk, closes its output, and counts what held
# make fuzz       gives every reader files that nobody would export, FUZZ=20000 of each kind
# make controls   cleans walks on all rigs that Rigify generates for animals: are any bones stretched?
# make manual     takes the manual's pictures again, from a Blender window
# make lint       checks style and types
# make zip        builds the extension for Blender into dist/
# make release    builds zip, wheel and sdist of what is committed, and tries each; minutes, and wants a network
# make clean      removes all of these

VENV ?= .venv
PYTHON ?=
TESTS ?= tests
FUZZ ?= 20000
RUN = $(VENV)/bin/python

.PHONY: environment test test-all demo manual bench drills fuzz controls lint style types zip release clean

environment:
	@tools/environment $(VENV) $(PYTHON)

test: environment
	@$(RUN) -m pytest $(TESTS)

test-all:
	@tools/test_all $(TESTS)

demo: environment
	@PYTHONPATH=tests $(RUN) tools/demo.py demo

manual: environment
	@PYTHONPATH=tests $(RUN) tools/manual_pictures.py docs
	@PYTHONPATH=tests $(RUN) tools/summary_picture.py docs

bench: environment
	@for script in tests/bench/*.py; do PYTHONPATH=tests $(RUN) $$script || exit 1; done

drills: environment
	@fell=0; for script in tests/drills/batch_*.py; do PYTHONPATH=tests $(RUN) $$script || fell=1; done; exit $$fell

fuzz: environment
	@TOEHOLD_FUZZ=$(FUZZ) $(RUN) -m pytest tests/files/test_fuzz.py

controls: environment
	@$(RUN) tools/control_grid.py

lint: style types

style: environment
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/ruff format --check .

types: environment
	@tools/types $(VENV)

zip: environment
	@$(RUN) tools/extension.py build dist

release: environment
	@PYTHONPATH=tests $(RUN) tools/release.py dist $(PYTHON)

clean:
	rm -rf $(VENV) .venv-* build dist demo *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
