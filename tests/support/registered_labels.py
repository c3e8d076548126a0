# SPDX-License-Identifier: GPL-3.0-or-later
"""Run inside a Blender that has languages: what each registered label of Toehold reads as, in each of them."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy

ROOT = Path(__file__).resolve().parents[2]


def labels() -> Iterator[tuple[str, str]]:
    """Yield each label of an operator, panel, menu, property or enum item with its own translation context."""
    from toehold.registration import CLASSES

    for cls in CLASSES:
        rna: Any = cls.bl_rna
        if issubclass(cls, bpy.types.Operator):
            rna = getattr(bpy.ops.toehold, cls.bl_idname.split(".")[1]).get_rna_type()
        if issubclass(cls, bpy.types.Operator | bpy.types.Panel | bpy.types.Menu):
            name = rna.name if issubclass(cls, bpy.types.Operator) else cls.bl_label
            yield name, rna.translation_context
        own = {
            name
            for base in cls.__mro__
            if "toehold" in base.__module__
            for name in vars(base).get("__annotations__", ())
        }
        for prop in {prop.identifier: prop for prop in rna.properties}.values():
            if prop.identifier in own:
                yield prop.name, prop.translation_context
                for item in prop.enum_items if prop.type == "ENUM" else ():
                    yield item.name, prop.translation_context


def as_read() -> dict[str, dict[str, list[str]]]:
    """Return by language, for each label, all that it reads as."""
    told: dict[str, dict[str, list[str]]] = {}
    view = bpy.context.preferences.view
    view.use_translate_interface = True
    for language in ("de_DE", "es", "nl_NL", "zh_HANS"):
        view.language = language
        found: dict[str, set[str]] = {}
        for text, context in labels():
            found.setdefault(text, set()).add(bpy.app.translations.pgettext(text, context))
        told[language] = {text: sorted(words) for text, words in found.items()}
    return told


if __name__ == "__main__":
    spec = importlib.util.spec_from_file_location(
        "toehold", ROOT / "__init__.py", submodule_search_locations=[str(ROOT)]
    )
    package = importlib.util.module_from_spec(spec)
    sys.modules["toehold"] = package
    spec.loader.exec_module(package)
    package.register()
    try:
        print("LABELS", json.dumps(as_read()))
    finally:
        package.unregister()
