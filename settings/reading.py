# SPDX-License-Identifier: GPL-3.0-or-later
"""How an armature's settings become the solver's plain ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, TypeVar

from bpy.types import Object

from ..rig.common.warnings import Warning
from ..rig.legs import doubts
from ..rig.legs.limb_bones import LimbBones
from ..rig.sampling.limb_search import search_limbs
from ..rig.verbs.journey import Options
from ..solver.cleanup import CleanupSettings
from ..solver.detection import ContactSettings
from ..solver.locking import LockSettings

_PlainSettings = TypeVar("_PlainSettings", ContactSettings, CleanupSettings, LockSettings)


def limb_bones(armature: Object) -> list[LimbBones]:
    """Return the limbs stored with an armature, empty if none have been found yet."""
    names = [field.name for field in fields(LimbBones)]
    return [LimbBones(**{name: getattr(limb, name) for name in names}) for limb in _settings(armature).limbs]


def store_limbs(armature: Object, limbs: Sequence[LimbBones], active: int = 0) -> None:
    """Store limbs with an armature in place of those that were there; ``active`` is the one to show.

    What a search for others has noted is forgotten.
    """
    settings = _settings(armature)
    note_search(armature)
    settings.limbs.clear()
    for limb in limbs:
        stored = settings.limbs.add()
        for field in fields(LimbBones):
            # Only what differs: a change of some lets the preview and the result of Clean follow.
            if getattr(stored, field.name) != getattr(limb, field.name):
                setattr(stored, field.name, getattr(limb, field.name))
    settings.active_limb = max(active, 0)


def note_search(armature: Object, asked_for_hands: bool = False, hands_touch: bool = False) -> None:
    """Note whether hands were looked for, and whether hands come down that are not among the limbs: for warnings."""
    settings = _settings(armature)
    settings.hands_asked_for, settings.hands_touch = asked_for_hands, hands_touch


def limb_warnings(armature: Object) -> list[Warning]:
    """Return what there is to doubt of the limbs stored with an armature. Cheap enough to ask at every redraw."""
    settings = _settings(armature)
    return doubts.of_limbs(limb_bones(armature), bool(settings.hands_asked_for), bool(settings.hands_touch))


def active_limb(armature: Object, count: int) -> int:
    """Return which of ``count`` limbs is active in the list."""
    return min(int(_settings(armature).active_limb), count - 1)


def choose_limb(armature: Object, at: int) -> None:
    """Make the limb ``at`` of the list the active one."""
    _settings(armature).active_limb = at


def set_ground_height(armature: Object, height: float) -> None:
    """Set the height in metres of the floor that the feet of an armature stand on."""
    _settings(armature).ground_height = height


def journey_options(armature: Object, cleanup: object | None = None) -> Options:
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
    return limb_bones(armature) or list(search_limbs(armature).limbs), journey_options(armature)


def shows_in_renders(armature: Object) -> bool:
    """Return whether renders are to show the lock of an armature while it is previewed."""
    return bool(_settings(armature).lock.show_in_renders)


def ground_names(armature: Object) -> tuple[str, ...]:
    """Return the names of the object and the collection that the feet of an armature stand on."""
    own = _settings(armature).ground
    return tuple(thing.name for thing in (own.object, own.collection) if thing is not None)


def path_name(armature: Object) -> str:
    """Return the name of the object whose line an armature follows; empty where none is set."""
    path = _settings(armature).path
    return "" if path is None else str(path.name)


def _settings(armature: Any) -> Any:
    # Any, since the stubs know only Blender's own properties of an object.
    return armature.toehold


def _plain(kind: type[_PlainSettings], source: object) -> _PlainSettings:
    """Return solver settings of a kind with the values that ``source`` has; what it does not have keeps its default."""
    shown = [field.name for field in fields(kind) if hasattr(source, field.name)]
    return kind(**{name: getattr(source, name) for name in shown})
