# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user sets on an armature (``Object.toehold``), and how it becomes the solver's plain settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, TypeVar

from bpy.props import CollectionProperty, FloatProperty, IntProperty, PointerProperty, StringProperty
from bpy.types import Context, Object, PropertyGroup

from .ground_settings import ToeholdGround, ground_names
from .rig.find_legs import find_legs
from .rig.journey import Options
from .rig.limb_bones import LimbBones
from .rig.live import live
from .rig.preview import preview
from .solver.cleanup import CleanupSettings
from .solver.contacts import ContactSettings
from .solver.locking import LockSettings

# Settings of an armature that is a library override can be changed too.
OVERRIDABLE = {"LIBRARY_OVERRIDABLE"}

_PlainSettings = TypeVar("_PlainSettings", ContactSettings, CleanupSettings, LockSettings)


def _show_again(group: PropertyGroup, context: Context) -> None:
    """Let a preview follow a setting that has just been changed."""
    armature = group.id_data
    if isinstance(armature, Object):
        preview.settings_changed(armature)


def _clean_again(group: PropertyGroup, context: Context) -> None:
    """Let the result of Clean that is shown follow a setting of its armature; the operator's own wait to be run."""
    armature = group.id_data
    if isinstance(armature, Object):
        live.settings_changed(armature, limb_bones(armature), journey_options(armature))


class ToeholdLimb(PropertyGroup):
    """One limb by the names of its bones: LimbBones as Blender stores it."""

    name: StringProperty(  # type: ignore[valid-type]
        name="Name",
        description="What this leg is called in lists and reports",
        override=OVERRIDABLE,
    )
    root: StringProperty(  # type: ignore[valid-type]
        name="Root",
        description="Bone that carries the body and is moved to keep the feet in reach, usually the pelvis",
        override=OVERRIDABLE,
    )
    hip: StringProperty(  # type: ignore[valid-type]
        name="Hip",
        description="Upper bone of the leg, from the hip joint to the knee",
        override=OVERRIDABLE,
    )
    knee: StringProperty(  # type: ignore[valid-type]
        name="Knee",
        description="Lower bone of the leg, from the knee to the ankle",
        override=OVERRIDABLE,
    )
    heel: StringProperty(  # type: ignore[valid-type]
        name="Foot",
        description="Bone of the foot, from the ankle to the ball",
        override=OVERRIDABLE,
    )
    toe: StringProperty(  # type: ignore[valid-type]
        name="Toe",
        description="Bone of the toes, from the ball to the tip. Leave it empty where there is none: the end of the "
        "foot bone is locked instead",
        override=OVERRIDABLE,
    )
    toe_end: StringProperty(  # type: ignore[valid-type]
        name="Toe End",
        description="Bone that starts at the tip of the toes. Leave it empty where there is none: the end of the toe "
        "bone stands in",
        override=OVERRIDABLE,
    )
    confidence: FloatProperty(  # type: ignore[valid-type]
        name="Confidence",
        description="How sure Find Legs was of this leg",
        default=1.0,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        override=OVERRIDABLE,
    )
    reason: StringProperty(  # type: ignore[valid-type]
        name="Reason",
        description="What Find Legs found this leg by",
        override=OVERRIDABLE,
    )


class CleanupValues:
    """The settings of a clean-up: shared by the armature's settings and by the Clean operator."""

    strength: FloatProperty(  # type: ignore[valid-type]
        name="Strength",
        description="How much of the correction is applied: at 0 the animation stays as it was, at 1 planted feet "
        "stand still",
        default=CleanupSettings().strength,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        options={"ANIMATABLE", "SKIP_SAVE"},
        update=_clean_again,
        override=OVERRIDABLE,
    )
    keep_travel: FloatProperty(  # type: ignore[valid-type]
        name="Keep Travel",
        description="How firmly the body keeps to the path that it had. 1 is right for most clips. Lower lets it drift "
        "to where the feet take it, higher bends the legs instead",
        default=CleanupSettings().keep_travel,
        min=0.0,
        soft_max=10.0,
        options={"ANIMATABLE", "SKIP_SAVE"},
        update=_clean_again,
        override=OVERRIDABLE,
    )
    smoothness: FloatProperty(  # type: ignore[valid-type]
        name="Smoothness",
        description="How gently the correction comes and goes around a contact. Higher spreads it over more frames",
        default=CleanupSettings().smoothness,
        min=0.0,
        soft_max=100.0,
        options={"ANIMATABLE", "SKIP_SAVE"},
        update=_clean_again,
        override=OVERRIDABLE,
    )
    softening: FloatProperty(  # type: ignore[valid-type]
        name="Softening",
        description="How far before full stretch a leg begins to slow down, so that the knee does not snap straight. "
        "For a leg of 0.9 m, scaled to the length of each leg",
        default=CleanupSettings().softening,
        min=0.0,
        soft_max=0.1,
        precision=3,
        step=0.1,
        subtype="DISTANCE",
        options={"ANIMATABLE", "SKIP_SAVE"},
        update=_clean_again,
        override=OVERRIDABLE,
    )


class ToeholdContactSettings(PropertyGroup):
    """What counts as planted: the part of ContactSettings that a user may want to change."""

    toe_share: FloatProperty(  # type: ignore[valid-type]
        name="Toe Speed",
        description="A toe is planted while it moves slower than this share of its own speed in the swing. Higher "
        "finds longer contacts",
        default=ContactSettings().toe_share,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        update=_show_again,
        override=OVERRIDABLE,
    )
    heel_share: FloatProperty(  # type: ignore[valid-type]
        name="Heel Speed",
        description="A heel is planted while it moves slower than this share of its own speed in the swing. Higher "
        "finds longer contacts",
        default=ContactSettings().heel_share,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        update=_show_again,
        override=OVERRIDABLE,
    )
    height: FloatProperty(  # type: ignore[valid-type]
        name="Height",
        description="A foot higher than this above the lowest it gets is not planted. For a leg of 0.9 m, scaled to "
        "the length of each leg",
        default=ContactSettings().height,
        min=0.0,
        soft_max=0.5,
        precision=3,
        step=1,
        subtype="DISTANCE",
        update=_show_again,
        override=OVERRIDABLE,
    )
    still_distance: FloatProperty(  # type: ignore[valid-type]
        name="Still Within",
        description="A foot that does not move further than this for a moment is planted, however slow its swing is. "
        "For a leg of 0.9 m, scaled to the length of each leg",
        default=ContactSettings().still_distance,
        min=0.0,
        soft_max=0.2,
        precision=3,
        step=0.1,
        subtype="DISTANCE",
        update=_show_again,
        override=OVERRIDABLE,
    )
    min_contact_time: FloatProperty(  # type: ignore[valid-type]
        name="Shortest Contact",
        description="A contact shorter than this is dropped",
        default=ContactSettings().min_contact_time,
        min=0.0,
        soft_max=0.5,
        step=1,
        subtype="TIME_ABSOLUTE",
        update=_show_again,
        override=OVERRIDABLE,
    )
    min_gap_time: FloatProperty(  # type: ignore[valid-type]
        name="Shortest Gap",
        description="A gap between two contacts shorter than this is closed",
        default=ContactSettings().min_gap_time,
        min=0.0,
        soft_max=0.5,
        step=1,
        subtype="TIME_ABSOLUTE",
        update=_show_again,
        override=OVERRIDABLE,
    )
    blend_time: FloatProperty(  # type: ignore[valid-type]
        name="Ease",
        description="How long the contact curve takes to rise from 0 to 1 where a foot is planted, and to fall again",
        default=ContactSettings().blend_time,
        min=0.0,
        soft_max=0.5,
        step=1,
        subtype="TIME_ABSOLUTE",
        update=_show_again,
        override=OVERRIDABLE,
    )


class ToeholdCleanupSettings(CleanupValues, PropertyGroup):
    """How planted feet are made to stand still."""


class ToeholdLockSettings(PropertyGroup):
    """How a game would hold planted feet: shown by the preview, and baked."""

    lock_distance: FloatProperty(  # type: ignore[valid-type]
        name="Lock Distance",
        description="A planted foot is held only while it is shown this close to where the animation has it. For a leg "
        "of 0.9 m, scaled to the length of each leg",
        default=LockSettings().lock_distance,
        min=0.0,
        soft_max=0.5,
        precision=3,
        step=1,
        subtype="DISTANCE",
        update=_show_again,
        override=OVERRIDABLE,
    )
    unlock_distance: FloatProperty(  # type: ignore[valid-type]
        name="Unlock Distance",
        description="A held foot is let go where the animation has gone this far from it. For a leg of 0.9 m, scaled "
        "to the length of each leg",
        default=LockSettings().unlock_distance,
        min=0.0,
        soft_max=1.0,
        precision=3,
        step=1,
        subtype="DISTANCE",
        update=_show_again,
        override=OVERRIDABLE,
    )
    blend_time: FloatProperty(  # type: ignore[valid-type]
        name="Blend Time",
        description="How long a foot takes from the animation to where it is held, and back",
        default=LockSettings().blend_time,
        min=0.0,
        soft_max=1.0,
        step=1,
        subtype="TIME_ABSOLUTE",
        update=_show_again,
        override=OVERRIDABLE,
    )


class ToeholdSettings(PropertyGroup):
    """Everything that Toehold knows about an armature."""

    limbs: CollectionProperty(  # type: ignore[valid-type]
        type=ToeholdLimb,
        name="Legs",
        description="The legs that Toehold works on",
        override={"LIBRARY_OVERRIDABLE", "USE_INSERTION"},
    )
    active_limb: IntProperty(  # type: ignore[valid-type]
        name="Active Leg",
        description="The leg whose bones are shown below the list",
        min=0,
        override=OVERRIDABLE,
    )
    contacts: PointerProperty(  # type: ignore[valid-type]
        type=ToeholdContactSettings,
        name="Contact Settings",
        description="What counts as planted",
        override=OVERRIDABLE,
    )
    cleanup: PointerProperty(  # type: ignore[valid-type]
        type=ToeholdCleanupSettings,
        name="Clean Settings",
        description="How planted feet are made to stand still",
        override=OVERRIDABLE,
    )
    lock: PointerProperty(  # type: ignore[valid-type]
        type=ToeholdLockSettings,
        name="Lock Settings",
        description="How a game would hold planted feet",
        override=OVERRIDABLE,
    )
    ground: PointerProperty(  # type: ignore[valid-type]
        type=ToeholdGround,
        name="Ground",
        description="What the feet stand on besides the floor",
        override=OVERRIDABLE,
    )
    ground_height: FloatProperty(  # type: ignore[valid-type]
        name="Ground Height",
        description="Height in the world of the floor that the feet stand on",
        default=Options().ground_height,
        soft_min=-10.0,
        soft_max=10.0,
        subtype="DISTANCE",
        update=_show_again,
        override=OVERRIDABLE,
    )


# In the order that Blender has to learn them: a type before those that hold it.
CLASSES = (
    *(ToeholdLimb, ToeholdContactSettings, ToeholdCleanupSettings, ToeholdLockSettings, ToeholdGround),
    ToeholdSettings,
)


def limb_bones(armature: Object) -> list[LimbBones]:
    """Return the limbs stored with an armature, empty if none have been found yet."""
    names = [field.name for field in fields(LimbBones)]
    return [LimbBones(**{name: getattr(limb, name) for name in names}) for limb in _settings(armature).limbs]


def store_limbs(armature: Object, limbs: Sequence[LimbBones], active: int = 0) -> None:
    """Store limbs with an armature in place of those that were there; ``active`` is the one to show."""
    settings = _settings(armature)
    settings.limbs.clear()
    for limb in limbs:
        stored = settings.limbs.add()
        for field in fields(LimbBones):
            setattr(stored, field.name, getattr(limb, field.name))
    settings.active_limb = max(active, 0)


def active_limb(armature: Object, count: int) -> int:
    """Return which of ``count`` limbs is active in the list."""
    return min(int(_settings(armature).active_limb), count - 1)


def cleanup_values(armature: Object) -> CleanupValues:
    """Return the clean-up settings stored with an armature."""
    values: CleanupValues = _settings(armature).cleanup
    return values


def journey_options(armature: Object, cleanup: CleanupValues | None = None) -> Options:
    """Return the armature's settings as the plain ones of one run, with ``cleanup`` in place of its own if given."""
    settings = _settings(armature)
    return Options(
        contacts=_plain(ContactSettings, settings.contacts),
        cleanup=_plain(CleanupSettings, cleanup or settings.cleanup),
        lock=_plain(LockSettings, settings.lock),
        ground_height=settings.ground_height,
        ground_objects=ground_names(armature),
    )


def legs_and_options(armature: Object) -> tuple[list[LimbBones], Options]:
    """Return the legs of an armature, found now where none are stored yet, and its settings."""
    return limb_bones(armature) or find_legs(armature), journey_options(armature)


def _settings(armature: Any) -> Any:
    # Any, since the stubs know only Blender's own properties of an object.
    return armature.toehold


def _plain(kind: type[_PlainSettings], source: object) -> _PlainSettings:
    """Return solver settings of a kind with the values that ``source`` has; what it does not have keeps its default."""
    shown = [field.name for field in fields(kind) if hasattr(source, field.name)]
    return kind(**{name: getattr(source, name) for name in shown})
