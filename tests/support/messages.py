# SPDX-License-Identifier: GPL-3.0-or-later
"""Every text of Toehold that a user sees in Blender: from RNA, and from the source's syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("operators", "panels", "rig")

# Functions whose texts are translated, and which of their arguments is one.
TRANSLATED_ARGUMENT = {"say": 0, "n_": 0, "RigError": 0, "hint": 2, "iface_": 0}

# What is no word, or the same in every language.
UNTRANSLATED = {"Toehold", "JSON", "CSV", "", "-"}


def messages() -> dict[str, str]:
    """Return the texts, each with where it is."""
    found: dict[str, str] = {}
    for text, where in [*_of_rna(), *_of_source()]:
        if text not in UNTRANSLATED:
            found.setdefault(text, where)
    return found


def _of_rna() -> Iterator[tuple[str, str]]:
    from toehold.registration import CLASSES

    for cls in CLASSES:
        rna: Any = cls.bl_rna
        if issubclass(cls, bpy.types.Operator):
            rna = getattr(bpy.ops.toehold, cls.bl_idname.split(".")[1]).get_rna_type()
            yield rna.name, cls.__name__
            yield rna.description, cls.__name__
        elif issubclass(cls, bpy.types.Panel | bpy.types.Menu):
            yield cls.bl_label, cls.__name__
        ours = [base for base in cls.__mro__ if "toehold" in base.__module__]
        own = {name for base in ours for name in vars(base).get("__annotations__", ())}
        # An own property of a name that Blender gives too comes after Blender's.
        for prop in {prop.identifier: prop for prop in rna.properties}.values():
            if prop.identifier in own:
                yield from _of_property(prop, cls.__name__)
    for owner in (bpy.types.Object, bpy.types.Action):
        yield from _of_property(owner.bl_rna.properties["toehold"], owner.__name__)
    yield from _of_property(bpy.types.WindowManager.bl_rna.properties["toehold_overlay"], "WindowManager")


def _of_property(prop: Any, where: str) -> Iterator[tuple[str, str]]:
    texts = [prop.name, prop.description]
    if prop.type == "ENUM":
        texts += [text for item in prop.enum_items for text in (item.name, item.description)]
    yield from ((text, f"{where}.{prop.identifier}") for text in texts)


def _of_source() -> Iterator[tuple[str, str]]:
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call):
                    yield from ((text, f"{room}/{path.name}:{node.lineno}") for text in _of_call(node))


def _of_call(call: ast.Call) -> Iterator[str]:
    name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    texts = [given["text"]] if "text" in given and "translate" not in given else []
    at = TRANSLATED_ARGUMENT.get(name)
    if at is not None and len(call.args) > at:
        texts.append(call.args[at])
    for text in texts:
        for node in ast.walk(text):
            # Either side of `a if … else b`, but no word that is compared.
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node in _branches(text):
                yield node.value


def _branches(text: ast.expr) -> list[ast.expr]:
    return [*_branches(text.body), *_branches(text.orelse)] if isinstance(text, ast.IfExp) else [text]
