# SPDX-License-Identifier: GPL-3.0-or-later
"""Online Manual, in the menu of each button and setting, opens its page of Toehold's own manual."""

from __future__ import annotations

import tomllib
from pathlib import Path

import bpy

_ROOT = Path(__file__).parents[1]

# Where the manual is beside the source; the zip has none, and then the website that the manifest names is opened.
FOLDER = _ROOT / "docs"

# Buttons and groups of settings to their pages; what is not here is on the first.
PAGES = {
    "legs.md": "find_legs add_leg pick_bone remove_leg add_limb_preset use_limb_preset ToeholdLimb",
    "contacts.md": "annotate_contacts set_contact jump_contact nudge_contact split_contact clear_contacts "
    "review_contacts end_review choose_leg drag_contact toggle_contact ToeholdContactSettings",
    "clean.md": "clean restore_source keep_version ToeholdCleanupSettings",
    "before-and-after.md": "report flip_source show_side copy_report export_report refresh_overlays OverlayToggles "
    "ToeholdContactList ToeholdContact ToeholdSuspect ToeholdPreferences",
    "game-lock.md": "bake_lock preview_lock compare export_contacts mark_footsteps ToeholdLockSettings",
    "ground.md": "adapt_to_ground ToeholdGround",
    "root-motion.md": "root_motion",
    "gaits.md": "generate_gait follow_path",
    "warnings.md": "show_warning use_slot use_ground_height use_frame_rate use_unit walk_on_it",
    "getting-started.md": "add_preset",
}
FIRST = "README.md"


def manual_map() -> tuple[str, list[tuple[str, str]]]:
    """Return the address that all pages begin with, and which page is whose, as Blender asks for it: in lower case."""
    here = FOLDER.is_dir()
    pages = {name: page for page, names in PAGES.items() for name in names.split()}
    mapping = [
        (f"bpy.types.{name.lower()}*" if name[0].isupper() else f"bpy.ops.toehold.{name}*", page if here else "")
        for name, page in sorted(pages.items(), key=lambda item: -len(item[0]))
    ]
    first = FIRST if here else ""
    mapping += [("bpy.ops.toehold.*", first), ("bpy.types.toehold*", first), ("bpy.types.object.toehold*", first)]
    return (f"{FOLDER.as_uri()}/" if here else website()), mapping


def website() -> str:
    """Return the address that the manifest names."""
    return str(tomllib.loads((_ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))["website"])


def register() -> None:
    """Let Blender know which page is whose."""
    unregister()
    bpy.utils.register_manual_map(manual_map)


def unregister() -> None:
    """Let Blender forget it; nothing happens where it does not know."""
    if manual_map in vars(bpy.utils)["_manual_map"]:
        bpy.utils.unregister_manual_map(manual_map)
