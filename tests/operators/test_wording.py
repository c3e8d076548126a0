# SPDX-License-Identifier: GPL-3.0-or-later
"""Every operator, panel and setting is labelled and explained as Blender's own are."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

import bpy

# An undo step of these would be one of nothing.
CHANGING_NOTHING = {
    "toehold.preview_lock",
    "toehold.export_contacts",
    "toehold.copy_report",
    "toehold.export_report",
}
SMALL_WORDS = {"a", "an", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"}


def test_every_label_is_in_title_case_and_every_tooltip_a_sentence_without_its_period(registered: ModuleType) -> None:
    told = list(labels_and_tooltips())
    assert len(told) > 25
    for owner, label, tooltip in told:
        words = [word for word in label.split() if word not in SMALL_WORDS]
        assert words, f"{owner} has no label"
        assert all(word[0].isupper() or not word[0].isalpha() for word in words), f"{owner}: {label}"
        assert tooltip, f"{owner} has no tooltip"
        assert tooltip[0].isupper(), f"{owner}: {tooltip}"
        assert not tooltip.endswith((".", ":", "!")), f"{owner}: {tooltip}"


def test_every_operator_that_changes_the_file_has_undo_and_shows_in_the_redo_panel(registered: ModuleType) -> None:
    from toehold.registration import OPERATORS

    changing = [cls for cls in OPERATORS if cls.bl_idname not in CHANGING_NOTHING]
    assert all({"REGISTER", "UNDO"} <= cls.bl_options for cls in changing)


def labels_and_tooltips() -> Iterator[tuple[str, str, str]]:
    """Yield owner, label and tooltip of every operator and of every setting on an operator or an armature."""
    from toehold import settings
    from toehold.registration import OPERATORS

    for operator in OPERATORS:
        rna = getattr(bpy.ops.toehold, operator.bl_idname.split(".")[1]).get_rna_type()
        yield operator.bl_idname, rna.name, rna.description
        yield from _of_properties(operator.bl_idname, rna)
    for group in settings.CLASSES:
        yield from _of_properties(group.__name__, group.bl_rna)


def _of_properties(owner: str, rna: bpy.types.Struct) -> Iterator[tuple[str, str, str]]:
    for prop in rna.properties:
        if prop.identifier not in ("rna_type", "bl_rna"):
            yield f"{owner}.{prop.identifier}", prop.name, prop.description
