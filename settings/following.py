# SPDX-License-Identifier: GPL-3.0-or-later
"""What is shown follows a setting at once: the previewed lock, and the result of Clean."""

from __future__ import annotations

from bpy.types import Context, Object, PropertyGroup

from ..rig.shown.kept_comparison import kept_comparison
from ..rig.shown.live_clean import live
from ..rig.shown.preview import preview
from .reading import journey_options, limb_bones


def show_again(group: PropertyGroup, context: Context) -> None:
    """Let a preview follow a setting that has just been changed."""
    armature = group.id_data
    if isinstance(armature, Object):
        kept_comparison.settings_changed(armature)
        preview.settings_changed(armature)


def shape_again(limb: PropertyGroup, context: Context) -> None:
    """Let the preview and the result of Clean follow how far a lower leg is shaped."""
    show_again(limb, context)
    clean_again(limb, context)


def lean_again(limb: PropertyGroup, context: Context) -> None:
    """Let both follow how a lower leg is to lean, where that counts."""
    if getattr(limb, "lean_share", 0.0) > 0.0:
        shape_again(limb, context)


def extension_again(limb: PropertyGroup, context: Context) -> None:
    """Let both follow how far a hock is to be open, where that counts."""
    if getattr(limb, "extension_share", 0.0) > 0.0:
        shape_again(limb, context)


def clean_again(group: PropertyGroup, context: Context) -> None:
    """Let the result of Clean that is shown follow a setting of its armature; the operator's own wait to be run."""
    armature = group.id_data
    if isinstance(armature, Object):
        kept_comparison.settings_changed(armature)
        live.settings_changed(armature, limb_bones(armature), journey_options(armature))


# Settings of an armature that is a library override can be changed too.
OVERRIDABLE = {"LIBRARY_OVERRIDABLE"}
