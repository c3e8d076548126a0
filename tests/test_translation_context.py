# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever Toehold says is looked up in its own context, so that no word of Blender's catalogue takes its place."""

from __future__ import annotations

import ast
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from toehold.rig.common.wording import CONTEXT
from toehold.translations import catalogue

ROOT = Path(__file__).resolve().parents[1]
REAL_BLENDER = ROOT.parent / "shared" / "tools" / "real-blender"
ROOMS = ("settings", "operators", "panels")
PRODUCT = (*ROOMS, "files", "rig", "translations", "registration.py", "__init__.py")
# What draws a text in the default context, where a button has its operator's and a setting its property's.
PLAIN_TEXTS = {"label"}


def calls() -> Iterator[tuple[Path, ast.Call]]:
    for room in ROOMS:
        for path in sorted((ROOT / room).glob("*.py")):
            yield from ((path, node) for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call))


def test_every_property_button_panel_and_menu_has_the_context(registered: ModuleType) -> None:
    from support.registered_labels import labels

    found = list(labels())
    assert len(found) > 150
    assert not [text for text, context in found if context != CONTEXT]


def test_properties_are_made_in_one_place() -> None:
    makers = [
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*.py")
        if path.relative_to(ROOT).parts[0] in PRODUCT and "bpy.props import" in path.read_text()
    ]
    assert not makers


def test_a_text_that_is_drawn_says_its_context() -> None:
    wrong = []
    for path, call in calls():
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        text, name = given.get("text"), getattr(call.func, "attr", "")
        is_plain = isinstance(text, ast.Constant) and not text.value
        if name in PLAIN_TEXTS and text is not None and not is_plain and not {"text_ctxt", "translate"} & set(given):
            wrong.append(f"{path.name}:{call.lineno}")
        if getattr(call.func, "id", "") == "iface_" and len(call.args) < 2:
            wrong.append(f"{path.name}:{call.lineno}")
    assert not wrong


def test_labels_read_as_the_catalogue_has_them_in_a_blender_with_languages(tmp_path: Path) -> None:
    if not REAL_BLENDER.exists():
        pytest.skip("there is no Blender with languages here: ../shared/tools/real-blender is missing")
    script = ROOT / "tests" / "support" / "registered_labels.py"
    done = subprocess.run(
        [str(REAL_BLENDER), "-b", "--factory-startup", "--python", str(script)],
        cwd=ROOT,
        env={**os.environ, "REAL_BLENDER_TIMEOUT": "120"},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("LABELS ")]
    assert lines, done.stdout + done.stderr
    for language, found in json.loads(lines[0].removeprefix("LABELS ")).items():
        known = catalogue.read(catalogue.FOLDER / f"{language}.po")
        assert {text: words for text, words in found.items() if words != [known.get(text, text)]} == {}
