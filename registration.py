# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender learns of Toehold when it is switched on, and forgets when it is switched off."""

from __future__ import annotations

import atexit
from typing import Any

import bpy

from . import settings
from .operators import contact_list, limb_presets, presets, review_contacts
from .operators.adapt_to_ground import AdaptToGround
from .operators.annotate_contacts import AnnotateContacts
from .operators.bake_lock import BakeLock
from .operators.choose_leg import ChooseLeg
from .operators.clean import Clean
from .operators.clear_contacts import ClearContacts
from .operators.compare import Compare
from .operators.drag_contact import DragContact, ToggleContact
from .operators.edit_legs import AddLeg, PickBone, RemoveLeg
from .operators.export_contacts import ExportContacts, MarkFootsteps
from .operators.find_legs import FindLegs
from .operators.follow_path import FollowPath
from .operators.generate_gait import GenerateGait
from .operators.jump_contact import JumpContact
from .operators.mend_scene import UseFrameRate, UseUnit, WalkOnIt
from .operators.nudge_contact import NudgeContact
from .operators.preview_lock import PreviewLock
from .operators.push import Push
from .operators.report import MeasureFeet
from .operators.results import FlipSource, KeepVersion, RestoreSource, ShowSide
from .operators.review_contacts import EndReview, ReviewContacts
from .operators.root_motion import RootMotion
from .operators.set_contact import SetContact
from .operators.share_report import CopyReport, ExportReport
from .operators.show_warning import ShowWarning
from .operators.split_contact import SplitContact
from .operators.use_ground_height import UseGroundHeight
from .operators.use_slot import UseSlot
from .panels import (
    contact_tools,
    ground,
    keymap,
    limbs,
    lock,
    locomotion,
    manual,
    overlay_panel,
    preferences,
    report,
    sidebar,
    warnings,
)
from .panels import presets as presets_panel
from .panels.compare_overlay import compare_overlay
from .panels.lock_overlay import lock_overlay
from .rig.contacts import properties as contact_properties
from .rig.shown.kept_comparison import kept_comparison
from .rig.shown.live_clean import live
from .rig.shown.preview import preview
from .settings.properties import PointerProperty
from .translations import catalogue

CONTACT_TOOLS = (
    ChooseLeg,
    DragContact,
    ToggleContact,
    SetContact,
    JumpContact,
    NudgeContact,
    SplitContact,
    ClearContacts,
    ReviewContacts,
    EndReview,
)
REPORT_TOOLS = (FlipSource, ShowSide, CopyReport, ExportReport, ShowWarning, UseSlot)
GROUND_TOOLS = (AdaptToGround, UseGroundHeight, RootMotion, UseFrameRate, UseUnit, WalkOnIt)
LOCK_TOOLS = (BakeLock, PreviewLock, Compare, ExportContacts, MarkFootsteps)
OPERATORS = (
    *(FindLegs, AddLeg, PickBone, RemoveLeg, AnnotateContacts, Clean, RestoreSource, KeepVersion, MeasureFeet),
    *LOCK_TOOLS,
    *CONTACT_TOOLS,
    *REPORT_TOOLS,
    *GROUND_TOOLS,
    GenerateGait,
    Push,
    FollowPath,
)
# A class before those that hold it: settings, what works on them, what shows both.
CLASSES: tuple[Any, ...] = (
    *settings.CLASSES,
    *contact_list.CLASSES,
    *preferences.CLASSES,
    *presets.CLASSES,
    *limb_presets.CLASSES,
    *presets_panel.CLASSES,
    *OPERATORS,
    *sidebar.CLASSES,
    *warnings.CLASSES,
    *limbs.CLASSES,
    *locomotion.CLASSES,
    *contact_tools.CLASSES,
    *ground.CLASSES,
    *lock.CLASSES,
    *overlay_panel.CLASSES,
    *report.CLASSES,
)
COMMAND = "toehold"

# Blender gives a handle for a command and wants it back; there is at most one here.
_command_handles: list[Any] = []


def register() -> None:
    """Make settings, operators, panels and the command known to Blender. What is known already stays."""
    for cls in CLASSES:
        if not cls.is_registered:
            bpy.utils.register_class(cls)
    bpy.types.Object.toehold = PointerProperty(  # type: ignore[attr-defined]
        type=settings.ToeholdSettings,
        name="Toehold",
        description="What Toehold knows about this armature",
        override={"LIBRARY_OVERRIDABLE"},
    )
    bpy.types.Action.toehold = PointerProperty(  # type: ignore[attr-defined]
        type=contact_list.ToeholdContactList,
        name="Toehold",
        description="The contacts of this action when it was measured",
    )
    bpy.types.WindowManager.toehold_overlay = PointerProperty(  # type: ignore[attr-defined]
        type=overlay_panel.OverlayToggles,
        name="Toehold Overlays",
        description="What is drawn over the viewport and the timelines",
    )
    catalogue.register()
    manual.register()
    presets.register()
    contact_properties.register()
    preview.register()
    kept_comparison.register()
    live.register()
    live.result_listeners[:] = [contact_list.keep_cleaned]
    overlay_panel.begin()
    if not bpy.app.background:
        lock_overlay.start()
        compare_overlay.start()
    review_contacts.register()
    contact_tools.register()
    keymap.register()
    if not _command_handles:
        _command_handles.append(bpy.utils.register_cli_command(COMMAND, _run_command))
    if bpy.app.module:
        # As a Python module, Blender 4.5 crashes at exit where a class is still registered.
        atexit.register(unregister)


def unregister() -> None:
    """Make Blender forget everything that ``register`` told it, last first."""
    atexit.unregister(unregister)
    review_contacts.unregister()
    keymap.unregister()
    contact_tools.unregister()
    live.unregister()
    preview.unregister()
    kept_comparison.unregister()
    presets.unregister()
    catalogue.unregister()
    manual.unregister()
    contact_properties.unregister()
    overlay_panel.end()
    lock_overlay.stop()
    compare_overlay.stop()
    while _command_handles:
        bpy.utils.unregister_cli_command(_command_handles.pop())
    for owner, name in (
        (bpy.types.Object, "toehold"),
        (bpy.types.Action, "toehold"),
        (bpy.types.WindowManager, "toehold_overlay"),
    ):
        if hasattr(owner, name):
            delattr(owner, name)
    for cls in reversed(CLASSES):
        if cls.is_registered:
            bpy.utils.unregister_class(cls)


def _run_command(arguments: list[str]) -> int:
    # Imported when asked for: the command is no part of what a window needs.
    from . import command_program

    return command_program.run_inside(arguments)
