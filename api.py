# SPDX-License-Identifier: GPL-3.0-or-later
"""Toehold for scripts: the verbs of the panel as functions, from armatures to plain frozen dataclasses.

    from toehold import api                                   # installed with pip
    from bl_ext.user_default.toehold import api               # the extension, where "Install from Disk" puts it

Nothing is selected or made active, and no operator runs. Every result is a new action that the armature plays then; the
action that was there is kept. Frames are the scene's, lengths are metres in the world and millimetres in figures.
``Error`` is raised where something can be mended, in one line, and nothing has been changed then. docs/scripts.md has
examples.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

import bpy

from . import settings as panel
from .files import records
from .files.setting_presets import preset_file, read_preset
from .rig.common.warnings import Warning
from .rig.common.wording import RigError as Error
from .rig.curves.channels import active_action
from .rig.legs.bone_tree import bone_tree
from .rig.legs.limb_bones import LimbBones
from .rig.sampling.limb_search import search_limbs
from .rig.sampling.sample import Sample, sample
from .rig.shown.preview import preview
from .rig.verbs import adapt as adapting
from .rig.verbs import journey
from .rig.verbs.journey import Cleaned, Measured, Options
from .rig.verbs.root_motion import Moved, RootMotionOptions, fit_stride, fit_timing, move_root
from .solver.cleanup import CleanupSettings
from .solver.contacts import Contacts
from .solver.detection import ContactSettings
from .solver.locking import LockSettings
from .solver.metrics import Report
from .solver.root_motion import Kind

__all__ = [
    "CleanupSettings",
    "Contact",
    "ContactSettings",
    "Error",
    "Limb",
    "LockSettings",
    "Report",
    "Result",
    "Settings",
    "Travel",
    "Warning",
    "adapt",
    "annotate",
    "clean",
    "find_limbs",
    "lock",
    "measure",
    "preset",
    "root_motion",
    "settings_of",
]

# Settings of one run: contacts, cleanup, lock, ground_height (metres), ground_objects (names), frames (first and last).
Settings = Options


@dataclass(frozen=True)
class Limb:
    """A limb by the names of its bones, each of which begins at the joint that it is called after.

    root : the bone that carries the body, usually the pelvis.
    ankle : the foot's bone; of a hand, the hand's. The command's JSON has it as ``heel`` too.
    toe, toe_end : the toes' bone and one that begins at their tip; empty where there is none.
    hock : between knee and ankle of a beast's leg; empty of others.
    hand : whether it is an arm.
    confidence, reason : how sure the search was, 0 to 1, and by what it was found.
    """

    name: str
    root: str
    hip: str
    knee: str
    ankle: str
    toe: str = ""
    toe_end: str = ""
    hock: str = ""
    hand: bool = False
    confidence: float = 1.0
    reason: str = ""
    lean_share: float = 0.0
    stance_lean: float = 0.0
    swing_lean: float = 0.0
    extension_share: float = 0.0
    stance_extension: float = 1.0
    swing_extension: float = 1.0


@dataclass(frozen=True)
class Contact:
    """A foot that is planted, from the frame ``start`` to the frame ``end``, both of the scene.

    limb : name of the limb.
    kind : "toe", or "heel" while the heel alone stands.
    drift_mm, slide_mm_s, unreached_mm : figures, as in the sidebar's list; 0 of contacts that are given.
    """

    limb: str
    kind: Literal["toe", "heel"]
    start: float
    end: float
    drift_mm: float = 0.0
    slide_mm_s: float = 0.0
    unreached_mm: float = 0.0


@dataclass(frozen=True)
class Result:
    """What a verb found out about an action, and what it made of it.

    source : the action that was read. action : the one that the armature plays now; the source where nothing was made.
    before, after : figures; ``after`` is None where nothing was made.
    """

    armature: bpy.types.Object
    source: bpy.types.Action
    action: bpy.types.Action
    limbs: tuple[Limb, ...]
    contacts: tuple[Contact, ...]
    before: Report
    after: Report | None
    warnings: tuple[Warning, ...]


@dataclass(frozen=True)
class Travel:
    """What ``root_motion`` made. Speeds are those of standing feet, m/s, the median over the clip.

    carrier : the bone that carries the travel, or "OBJECT"; empty where steps or timing were fitted.
    travel : (x, y, z) metres from the first frame to the last.
    frames : how many the clip lasts, before and after.
    """

    armature: bpy.types.Object
    source: bpy.types.Action
    action: bpy.types.Action
    carrier: str
    travel: tuple[float, float, float]
    turn_degrees: float
    foot_speed_before: float
    foot_speed_after: float
    frames: tuple[float, float]


def find_limbs(armature: bpy.types.Object, *, hands: bool = False) -> tuple[Limb, ...]:
    """Return the legs of an armature, and its hands if asked for, found by names, shape and motion. Nothing is kept."""
    return _limbs(search_limbs(armature, hands).limbs)


def settings_of(armature: bpy.types.Object) -> Settings:
    """Return the settings that the sidebar shows for an armature; those that are usual where Toehold is not on."""
    return panel.journey_options(armature) if hasattr(armature, "toehold") else Settings()


def preset(name: str) -> Settings:
    """Return the settings of a preset, by its name in the sidebar or its file, and for the rest what is usual."""
    values = read_preset(preset_file(name))
    return Settings(
        contacts=ContactSettings(**values.get("contacts", {})), cleanup=CleanupSettings(**values.get("cleanup", {}))
    )


def measure(
    armature: bpy.types.Object,
    limbs: Sequence[Limb] | None = None,
    *,
    settings: Settings | None = None,
    contacts: Sequence[Contact] | None = None,
) -> Result:
    """Return contacts and figures of the action that an armature plays, changing nothing.

    limbs : to look at; None for those that are kept with the armature, else those that are found.
    settings : None for the usual ones; ``settings_of`` has those of the sidebar.
    contacts : None for those of the action's curves, else those that are found.
    """
    with _at_work(armature, limbs, settings) as (bones, options):
        return _measured(
            armature, bones, journey.measure(armature, bones, options, _given(armature, bones, options, contacts))
        )


def annotate(
    armature: bpy.types.Object, limbs: Sequence[Limb] | None = None, *, settings: Settings | None = None
) -> Result:
    """Find contacts and write them as curves into the action; what a person has set or edited stays."""
    with _at_work(armature, limbs, settings) as (bones, options):
        return _measured(armature, bones, journey.annotate(armature, bones, options))


def clean(
    armature: bpy.types.Object,
    limbs: Sequence[Limb] | None = None,
    *,
    settings: Settings | None = None,
    contacts: Sequence[Contact] | None = None,
) -> Result:
    """Make planted feet stand still, in a new action. Arguments are as of ``measure``."""
    with _at_work(armature, limbs, settings) as (bones, options):
        return _made(
            armature, bones, journey.clean(armature, bones, options, _given(armature, bones, options, contacts))
        )


def lock(
    armature: bpy.types.Object,
    limbs: Sequence[Limb] | None = None,
    *,
    settings: Settings | None = None,
    contacts: Sequence[Contact] | None = None,
) -> Result:
    """Lock planted feet as a game does, in a new action. Arguments are as of ``measure``."""
    with _at_work(armature, limbs, settings) as (bones, options):
        return _made(
            armature, bones, journey.lock(armature, bones, options, _given(armature, bones, options, contacts))
        )


def adapt(
    armature: bpy.types.Object,
    limbs: Sequence[Limb] | None = None,
    *,
    settings: Settings | None = None,
    contacts: Sequence[Contact] | None = None,
) -> Result:
    """Bring a clip that was made for a flat floor onto ``settings.ground_objects``, in a new action."""
    with _at_work(armature, limbs, settings) as (bones, options):
        return _made(
            armature, bones, adapting.adapt(armature, bones, options, _given(armature, bones, options, contacts))
        )


def root_motion(
    armature: bpy.types.Object,
    limbs: Sequence[Limb] | None = None,
    *,
    way: Literal["IN", "OUT", "STRIDE", "TIMING"] = "IN",
    kind: Kind = "CONSTANT",
    target: str = "AUTO",
) -> Travel:
    """Let the body travel as its planted feet say, take its travel out, or fit steps or timing to it; in a new action.

    way : IN adds, OUT takes out, STRIDE and TIMING keep the travel and fit what is named.
    kind : CONSTANT, VARYING or TURNING: how closely travel or timing follows the feet.
    target : a bone, "OBJECT", or "AUTO" for the topmost bone that carries all feet.
    """
    with _at_work(armature, limbs, None) as (bones, _):
        if way == "STRIDE":
            return _travelled(armature, fit_stride(armature, bones))
        if way == "TIMING":
            return _travelled(armature, fit_timing(armature, bones, kind))
        return _travelled(armature, move_root(armature, bones, RootMotionOptions(way, kind, target)))


@contextmanager
def _at_work(
    armature: bpy.types.Object, limbs: Sequence[Limb] | None, settings: Settings | None
) -> Iterator[tuple[list[LimbBones], Settings]]:
    """Give bones and settings to work with, while the armature shows its action and not a preview of it."""
    if armature is None or armature.type != "ARMATURE":
        raise Error(f"{getattr(armature, 'name', armature)!r} is no armature; give an object of type ARMATURE")
    with preview.hidden():
        yield _bones(armature, limbs), settings or Settings()


def _bones(armature: bpy.types.Object, limbs: Sequence[Limb] | None) -> list[LimbBones]:
    """Return limbs by their bones; Error where the armature lacks one of them."""
    if limbs is not None:
        given = [
            LimbBones(**{_BONES_NAMES.get(name, name): value for name, value in vars(limb).items()}) for limb in limbs
        ]
        if not given:
            raise Error("there is no limb to work on; give at least one, or None to find them")
        return list(records.with_bones(given, bone_tree(armature).names))
    kept = panel.limb_bones(armature) if hasattr(armature, "toehold") else []
    return kept or list(search_limbs(armature).limbs)


# What a limb's parts are called here, to what they are called by the rig; and the other way round.
_BONES_NAMES = {"ankle": "heel"}
_LIMB_NAMES = {bones: limb for limb, bones in _BONES_NAMES.items()}


def _limbs(bones: Sequence[LimbBones]) -> tuple[Limb, ...]:
    names = [field.name for field in fields(LimbBones)]
    return tuple(Limb(**{_LIMB_NAMES.get(name, name): getattr(limb, name) for name in names}) for limb in bones)


def _given(
    armature: bpy.types.Object, bones: Sequence[LimbBones], options: Options, contacts: Sequence[Contact] | None
) -> Contacts | None:
    """Return contacts that a script gives as signals over the frames that are asked for; Error where they are none."""
    if contacts is None:
        return None
    by_limb: dict[str, list[dict[str, Any]]] = {limb.name: [] for limb in bones}
    for one in contacts:
        if one.limb not in by_limb:
            raise Error(f"a contact is of limb {one.limb!r}; there are {', '.join(map(repr, by_limb))}")
        by_limb[one.limb].append({"start": one.start, "end": one.end, "kind": one.kind})
    document = [{"name": name, "contacts": spans} for name, spans in by_limb.items()]
    frames = sample(armature, bones).frames
    if options.frames is not None:
        frames = frames[(frames >= options.frames[0]) & (frames <= options.frames[1])]
    return records.contacts_for(document, records.Entry(""), bones, frames, 0)


def _contacts(motion: Sample, bones: Sequence[LimbBones], report: Report) -> tuple[Contact, ...]:
    return tuple(
        Contact(
            limb=bones[one.limb].name,
            kind=one.kind,
            start=float(motion.frames[one.start]),
            end=float(motion.frames[one.end]),
            drift_mm=one.drift_mm,
            slide_mm_s=one.slide_mm_s,
            unreached_mm=one.unreached_mm,
        )
        for one in report.contacts
    )


def _measured(armature: bpy.types.Object, bones: Sequence[LimbBones], found: Measured) -> Result:
    action = active_action(armature)
    return Result(
        armature=armature,
        source=action,
        action=action,
        limbs=_limbs(bones),
        contacts=_contacts(found.sample, bones, found.report),
        before=found.report,
        after=None,
        warnings=found.warnings,
    )


def _made(armature: bpy.types.Object, bones: Sequence[LimbBones], made: Cleaned) -> Result:
    found = Measured(made.sample, made.contacts, made.after, made.ground, warnings=made.warnings)
    result = _measured(armature, bones, found)
    return replace(result, source=made.source, action=made.result, before=made.before, after=made.after)


def _travelled(armature: bpy.types.Object, moved: Moved) -> Travel:
    x, y, z = moved.travel.tolist()
    return Travel(
        armature=armature,
        source=moved.source,
        action=moved.result,
        carrier=moved.target,
        travel=(x, y, z),
        turn_degrees=moved.turn_degrees,
        foot_speed_before=moved.stance_speed_before,
        foot_speed_after=moved.stance_speed_after,
        frames=moved.frames,
    )
