# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender learns the translations: each file beside this one holds a language, by Blender's name for it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import bpy

from ..rig.common.wording import CONTEXT

FOLDER = Path(__file__).parent

# Blender looks the labels of operators up by themselves; whatever Toehold says means the same everywhere.
CONTEXTS = ("*", "Operator", CONTEXT)


def register() -> None:
    """Let Blender know the translations. Those that it knows already stay."""
    unregister()
    bpy.app.translations.register(
        __package__,
        {
            path.stem: {(context, text): told for text, told in read(path).items() for context in CONTEXTS}
            for path in languages()
        },
    )


def unregister() -> None:
    """Let Blender forget them; nothing happens where it does not know them."""
    bpy.app.translations.unregister(__package__)


def languages() -> list[Path]:
    """Return the file of each language."""
    return sorted(FOLDER.glob("*.po"))


def read(path: Path) -> dict[str, str]:
    """Return the translation of each text in a PO file; those that have none yet are left out."""
    found: dict[str, str] = {}
    text = told = ""
    for keyword, value in _entries(path.read_text(encoding="utf-8")):
        if keyword == "msgid":
            text, told = value, ""
        elif keyword == "msgstr":
            told = value
        if text and told:
            found[text] = told
    return found


def _entries(content: str) -> Iterator[tuple[str, str]]:
    """Yield each keyword of a PO file with its text, which may go on over several lines."""
    keyword, parts = "", [""]
    for line in content.splitlines():
        if line.startswith('"'):
            parts.append(json.loads(line))
            continue
        if keyword:
            yield keyword, "".join(parts)
        keyword, _, rest = line.partition(" ")
        parts = [json.loads(rest)] if rest.startswith('"') and not keyword.startswith("#") else [""]
        keyword = keyword if rest.startswith('"') and not keyword.startswith("#") else ""
    if keyword:
        yield keyword, "".join(parts)
