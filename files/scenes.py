# SPDX-License-Identifier: GPL-3.0-or-later
"""Open a file of any kind in an otherwise empty scene, and choose whose motion it is about."""

from __future__ import annotations

import json
import re
import struct
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np

from ..rig.contacts.carried_contacts import unpack
from ..rig.curves.actions import assign
from ..rig.curves.channels import active_action
from ..rig.curves.stack import plays_strips
from ..rig.errors import RigError
from ..rig.legs.find_legs import find_legs
from ..rig.limb_bones import LimbBones
from . import bvh as bvh_text
from .bvh import Bvh
from .bvh_motion import guess_metres_per_unit
from .bvh_patch import bone_names, plain_text
from .hush import hushed

KINDS = (".bvh", ".fbx", ".glb", ".gltf", ".blend")

# Blender's importer puts the first frame of a BVH at scene frame 1.
BVH_FIRST_FRAME = 1

# While the unit of a BVH is not known, its skeleton is made this tall (metres).
_MAN_HEIGHT = 1.75

_BLEND_HEADER = re.compile(rb"BLENDER(?:[-_][vV]\d{3}|\d\d-\d\d[vV]\d{4})")
_ZSTANDARD, _GZIP = b"\x28\xb5\x2f\xfd", b"\x1f\x8b"
_FBX_HEADER = b"Kaydara FBX Binary"


@dataclass(frozen=True)
class Choice:
    """What the user has asked for by name or number; None where it is left to us.

    may_stand : whether an armature will do that has never moved.
    """

    armature: str | None = None
    action: str | None = None
    metres_per_unit: float | None = None
    limbs: tuple[LimbBones, ...] | None = None
    may_stand: bool = False


@dataclass(frozen=True)
class Source:
    """An opened file, and the armature in it that this is about.

    first_frame : scene frame of the file's frame 0.
    metres_per_unit : of the file.
    unit_note : how the unit of a BVH was found, for a person to read; empty where there is nothing to say.
    bvh : the text of a BVH.
    """

    path: Path
    armature: bpy.types.Object
    first_frame: int = 0
    metres_per_unit: float = 1.0
    unit_note: str = ""
    bvh: Bvh | None = None

    @property
    def frame_rate(self) -> float:
        if self.bvh is not None:
            return 1.0 / self.bvh.frame_time  # Blender holds it less exactly
        render = current_scene().render
        return float(render.fps / render.fps_base)


def current_scene() -> bpy.types.Scene:
    """Return the scene that is open; there always is one."""
    scene = bpy.context.scene
    assert scene is not None
    return scene


def open_file(path: Path, choice: Choice) -> Source:
    """Open a file in an empty scene; RigError where it cannot be read or has no armature in motion."""
    kind = path.suffix.lower()
    if kind not in KINDS:
        raise RigError(f"{path.name}: {kind or 'a file without ending'} cannot be opened; use one of {' '.join(KINDS)}")
    _refuse_unreadable(path)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    if kind == ".bvh":
        return _open_bvh(path, choice)
    if kind == ".fbx":
        _refuse_other_content(path, lambda head: head.startswith(_FBX_HEADER), "a binary FBX file")
        _run(path, lambda: bpy.ops.import_scene.fbx(filepath=str(path.absolute())))
    elif kind == ".blend":
        is_blend = lambda head: head.startswith((_ZSTANDARD, _GZIP)) or _BLEND_HEADER.match(head) is not None  # noqa: E731
        _refuse_other_content(path, is_blend, "a .blend file")
        _run(path, lambda: bpy.ops.wm.open_mainfile(filepath=str(path.absolute()), load_ui=False, use_scripts=False))
    else:
        if kind == ".glb":
            _refuse_other_content(path, lambda head: head.startswith(b"glTF") and len(head) >= 20, "a .glb file")
        _set_frame_rate(_gltf_frame_rate(path) or current_scene().render.fps)
        _run(path, lambda: bpy.ops.import_scene.gltf(filepath=str(path.absolute()), disable_bone_shape=True))
    return from_scene(path, choice)


def from_scene(path: Path, choice: Choice) -> Source:
    """Return the open file as a source; ``path`` is where it came from."""
    # An action that was keyed since the last update and then is taken off its armature crashes Blender.
    view_layer = bpy.context.view_layer
    assert view_layer is not None
    view_layer.update()
    armature = _choose_armature(path.name, choice.armature)
    _choose_action(path.name, armature, choice)
    unpack(armature)
    return Source(path, armature)


def _refuse_unreadable(path: Path) -> None:
    try:
        with path.open("rb") as file:
            empty = not file.read(1)
    except OSError as error:
        raise RigError(f"{path.name}: cannot be read ({error.strerror}); check the path") from None
    if empty:
        raise RigError(f"{path.name}: the file is empty; export it again")


def _refuse_other_content(path: Path, is_right: Callable[[bytes], bool], what: str) -> None:
    with path.open("rb") as file:
        if not is_right(file.read(64)):
            raise RigError(f"{path.name}: this is not {what}, whatever its name says; see whether it is the right file")


def _run(path: Path, operator: Callable[[], object]) -> None:
    """Run an operator that opens ``path``; whatever goes wrong in it becomes one line."""
    try:
        with hushed():
            operator()
    except RuntimeError as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip() and not line.startswith("Location:")]
        reason = (lines[-1] if lines else "no reason given").removeprefix("Error: ").split("failed: ")[-1]
        for spelling in (str(path.absolute()), str(path)):
            reason = reason.replace(spelling, path.name)
        raise RigError(f"{path.name}: Blender cannot read it ({reason[:160]}); see whether the file is whole") from None


def _open_bvh(path: Path, choice: Choice) -> Source:
    bvh = bvh_text.read(path)
    unit, note = choice.metres_per_unit, ""
    if unit is None:
        unit, note = _guess_unit(path, bvh, choice.limbs)
    armature = _import_bvh(path, bvh, unit)
    if choice.armature not in (None, armature.name):
        raise RigError(f"{path.name}: there is no armature {choice.armature!r}; its only one is {armature.name!r}")
    _choose_action(path.name, armature, choice)
    return Source(path, armature, BVH_FIRST_FRAME, unit, note, bvh)


def _import_bvh(path: Path, bvh: Bvh, metres_per_unit: float, frame_count: int | None = None) -> bpy.types.Object:
    """Let Blender import a BVH, in a form that it reads without guessing, and return the armature."""
    with tempfile.TemporaryDirectory(prefix="toehold-") as folder:
        plain = Path(folder) / f"{path.stem}.bvh"
        plain.write_text(plain_text(bvh, frame_count), encoding="utf-8")
        _run(
            path,
            lambda: bpy.ops.import_anim.bvh(
                filepath=str(plain),
                global_scale=metres_per_unit,
                use_fps_scale=False,
                update_scene_fps=True,
                update_scene_duration=True,
            ),
        )
    _set_frame_rate(1.0 / bvh.frame_time)
    armature = next(thing for thing in current_scene().objects if thing.type == "ARMATURE")
    return armature


def _set_frame_rate(frames_per_second: float) -> None:
    render = current_scene().render
    render.fps = min(max(round(frames_per_second), 1), 32767)
    render.fps_base = render.fps / frames_per_second


def legs_of(armature: bpy.types.Object, hands: bool = False) -> Sequence[LimbBones]:
    """Return the legs that are found, and the hands if asked for; RigError, with a way out, where there are none."""
    try:
        return find_legs(armature, hands)
    except RigError as error:
        raise RigError(f"{error}, with --limbs") from None


def _guess_unit(path: Path, bvh: Bvh, limbs: Sequence[LimbBones] | None) -> tuple[float, str]:
    """Return metres per unit and how they were found: from the length of the legs, once they are known."""
    offsets = bvh.offsets
    rest = np.zeros_like(offsets)
    for joint, parent in enumerate(bvh.parents):
        rest[joint] = offsets[joint] + (rest[parent] if parent >= 0 else 0.0)
    size = float(np.max(np.ptp(rest, axis=0)))
    scratch = _import_bvh(path, bvh, _MAN_HEIGHT / size if size > 0.0 else 1.0, frame_count=1)
    limbs = legs_of(scratch) if limbs is None else limbs
    bpy.data.actions.remove(active_action(scratch))
    bpy.data.batch_remove([scratch, scratch.data])
    place = {name: rest[joint] for joint, name in enumerate(bone_names(bvh)) if not bvh.is_tip[joint]}
    measured = [limb for limb in limbs if not limb.hand] or limbs
    try:
        legs = [np.diff([place[bone] for bone in (limb.hip, limb.knee, limb.heel)], axis=0) for limb in measured]
    except KeyError as missing:
        raise RigError(f"{path.name}: there is no joint {missing}; mend the limbs file") from None
    leg = float(np.median([np.linalg.norm(segments, axis=1).sum() for segments in legs]))
    unit, name = guess_metres_per_unit(leg)
    return unit, f"guessed {unit:.5g} m per unit ({name}): the leg is {leg * unit:.2f} m long; --unit overrules"


def _choose_armature(file_name: str, wanted: str | None) -> bpy.types.Object:
    armatures = [thing for thing in current_scene().objects if thing.type == "ARMATURE"]
    if not armatures:
        raise RigError(f"{file_name}: there is no armature in it; export the skeleton too")
    if wanted is not None:
        for armature in armatures:
            if armature.name == wanted:
                return armature
        raise RigError(f"{file_name}: there is no armature {wanted!r}; choose one of {_listed(armatures)}")
    moving = [armature for armature in armatures if _plays_something(armature)]
    candidates = moving or armatures
    if len(candidates) > 1:
        raise RigError(f"{file_name}: there are several armatures; choose with --armature: {_listed(candidates)}")
    return candidates[0]


def _plays_something(armature: bpy.types.Object) -> bool:
    animation = armature.animation_data
    return animation is not None and (animation.action is not None or plays_strips(armature))


def _choose_action(file_name: str, armature: bpy.types.Object, choice: Choice) -> None:
    """Give the armature the wanted action, if any, and a slot of it; NLA strips may be all that it plays."""
    animation = armature.animation_data or armature.animation_data_create()
    assert animation is not None, "an object can always be animated"
    wanted = choice.action
    if wanted is None and (plays_strips(armature) or (choice.may_stand and animation.action is None)):
        return
    if wanted is not None:
        action = bpy.data.actions.get(wanted)
        if action is None:
            there = _listed(bpy.data.actions) or "none"
            raise RigError(f"{file_name}: there is no action {wanted!r}; the file has {there}")
    else:
        action = animation.action
    if action is None:
        there = _listed(bpy.data.actions)
        hint = f"choose with --action: {there}" if there else "export the animation too"
        raise RigError(f"{file_name}: armature {armature.name!r} has no action; {hint}")
    if wanted is not None or animation.action_slot is None:
        assign(armature, action)


def _listed(things: Iterable[bpy.types.ID], most: int = 12) -> str:
    names = sorted(thing.name for thing in things)
    return ", ".join(repr(name) for name in names[:most]) + (", ..." if len(names) > most else "")


def _gltf_frame_rate(path: Path) -> int | None:
    """Return the rate at which a glTF's animations are keyed, in whole frames a second; None where that cannot be told.

    glTF holds seconds only. At another rate than their own, keys would come to lie between frames.
    """
    try:
        content = path.read_bytes()
        if content.startswith(b"glTF"):
            length = struct.unpack_from("<I", content, 12)[0]
            content = content[20 : 20 + length]
        document = json.loads(content)
        accessors = document["accessors"]
        inputs = [accessors[sampler["input"]] for clip in document["animations"] for sampler in clip["samplers"]]
        rates = [(times["count"] - 1) / (times["max"][0] - times["min"][0]) for times in inputs if times["count"] > 2]
    except (struct.error, ValueError, KeyError, TypeError, IndexError, AttributeError, ZeroDivisionError, OSError):
        return None  # the importer will say what is wrong with it
    rate = max(rates, default=0.0)
    return round(rate) if 12.0 <= rate <= 240.0 else None
