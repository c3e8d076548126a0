# SPDX-License-Identifier: GPL-3.0-or-later
"""Open a file of any kind in an otherwise empty scene, and choose whose motion it is about."""

from __future__ import annotations

import re
import struct
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import bpy
import numpy as np

from ..rig.common.wording import RigError
from ..rig.curves.channels import active_action
from ..rig.legs.find_legs import FoundLimbs
from ..rig.legs.limb_bones import LimbBones
from ..rig.sampling.limb_search import search_limbs
from . import bvh as bvh_text
from . import gltf as gltf_text
from .bvh import Bvh
from .bvh_motion import guess_metres_per_unit
from .bvh_patch import bone_names, plain_text
from .fbx_takes import bring_noted_contacts
from .gltf_copy import GltfSource, frame_rate_of, readable_copy, source_of
from .hush import hushed
from .subjects import ALL, armatures_of, plays_something, subjects_of
from .takes import name_slots

GLTF = (".glb", ".gltf", ".vrm", ".vrma")
SUFFIXES = (".bvh", ".fbx", *GLTF, ".blend")

# Blender's importer puts the first frame of a BVH at scene frame 1.
BVH_FIRST_FRAME = 1

# While the unit of a BVH is not known, its skeleton is made this tall (metres).
_MAN_HEIGHT = 1.75

# While it is, so many frames are looked at.
_SOME_FRAMES = 48

_BLEND_HEADER = re.compile(rb"BLENDER(?:[-_][vV]\d{3}|\d\d-\d\d[vV]\d{4})")
_ZSTANDARD, _GZIP = b"\x28\xb5\x2f\xfd", b"\x1f\x8b"
_FBX_HEADER = b"Kaydara FBX Binary"
_OLDEST_FBX = 7100


@dataclass(frozen=True)
class Choice:
    """What the user has asked for by name or number; None where it is left to us.

    may_stand : whether an armature will do that has never moved.
    """

    armature: str | None = None
    actions: tuple[str, ...] = ()
    metres_per_unit: float | None = None
    limbs: tuple[LimbBones, ...] | None = None
    may_stand: bool = False


@dataclass(frozen=True)
class Source:
    """An opened file, and the armature in it that this is about.

    armatures : all that are worked on, where they are several.
    first_frame : scene frame of the file's frame 0.
    metres_per_unit : of the file.
    unit_note : how the unit of a BVH was found, for a person to read; empty where there is nothing to say.
    bvh : the text of a BVH.
    gltf : a glTF as it stands in its file; None where it cannot be written back.
    """

    path: Path
    armature: bpy.types.Object
    first_frame: int = 0
    metres_per_unit: float = 1.0
    unit_note: str = ""
    bvh: Bvh | None = None
    gltf: GltfSource | None = None
    armatures: tuple[bpy.types.Object, ...] = ()

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
    if kind not in SUFFIXES:
        raise RigError(
            f"{path.name}: {kind or 'a file without ending'} cannot be opened; use one of {' '.join(SUFFIXES)}"
        )
    _refuse_unreadable(path)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    if kind == ".bvh":
        return _open_bvh(path, choice)
    if kind == ".fbx":
        _refuse_old_fbx(path)
        _refuse_other_content(path, lambda head: head.startswith(_FBX_HEADER), "a binary FBX file")
        # A take's frames are the file's own; the importer would put them one later.
        _run(path, lambda: bpy.ops.import_scene.fbx(filepath=str(path.absolute()), anim_offset=0.0))
        name_slots(current_scene().objects)
        bring_noted_contacts(current_scene().objects)
    elif kind == ".blend":
        is_blend = lambda head: head.startswith((_ZSTANDARD, _GZIP)) or _BLEND_HEADER.match(head) is not None  # noqa: E731
        _refuse_other_content(path, is_blend, "a .blend file")
        _run(path, lambda: bpy.ops.wm.open_mainfile(filepath=str(path.absolute()), load_ui=False, use_scripts=False))
    else:
        if kind != ".gltf":
            _refuse_other_content(path, lambda head: head.startswith(b"glTF") and len(head) >= 20, f"a {kind} file")
        return _open_gltf(path, choice)
    return from_scene(path, choice)


def from_scene(path: Path, choice: Choice) -> Source:
    """Return the open file as a source; ``path`` is where it came from."""
    # An action that was keyed since the last update and then is taken off its armature crashes Blender.
    view_layer = bpy.context.view_layer
    assert view_layer is not None
    view_layer.update()
    armatures = armatures_of(path.name, current_scene().objects, choice.armature)
    for armature in reversed(armatures):
        _take_up(path, armature, choice)
    return Source(path, armatures[0], armatures=tuple(armatures))


def _take_up(path: Path, armature: bpy.types.Object, choice: Choice) -> None:
    """Let an armature play the first action that is asked for; it may have none where it need not have moved yet."""
    if choice.may_stand and not choice.actions and not plays_something(armature):
        armature.animation_data_create()
        return
    subjects_of(path.name, armature, choice.actions)[0].take_up()


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


def _refuse_old_fbx(path: Path) -> None:
    """Raise RigError for an FBX that is whole, but that Blender cannot read: as text, or from before 2011."""
    with path.open("rb") as file:
        head = file.read(4096)
    convert = "convert it to a newer binary one with Autodesk's FBX Converter, or export it again as that"
    if head.startswith(_FBX_HEADER):
        version = int.from_bytes(head[23:27], "little")
        if version < _OLDEST_FBX:
            raise RigError(f"{path.name}: this FBX has version {version}, Blender reads 7100 and newer; {convert}")
    elif b"FBXHeaderExtension" in head or re.match(rb"\s*;\s*FBX", head):
        raise RigError(f"{path.name}: this FBX is text (ASCII), Blender reads binary ones only; {convert}")


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


def _open_gltf(path: Path, choice: Choice) -> Source:
    """Let Blender import a copy of a glTF in which it is told what is what; where that cannot be, the file itself."""
    try:
        gltf = gltf_text.read(path)
        _set_frame_rate(frame_rate_of(gltf) or current_scene().render.fps)
        folder = tempfile.TemporaryDirectory(prefix="toehold-")
        plain = readable_copy(gltf, Path(folder.name), current_scene().render.fps)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, struct.error, OSError):
        # The importer will say what is wrong with it, or reads what we cannot.
        _import_gltf(path, path)
        return from_scene(path, choice)
    with folder:
        _import_gltf(path, plain)
    found = source_of(gltf, current_scene().objects)
    return replace(from_scene(path, choice), gltf=found)


def _import_gltf(path: Path, plain: Path) -> None:
    _run(path, lambda: bpy.ops.import_scene.gltf(filepath=str(plain.absolute()), disable_bone_shape=True))


def _open_bvh(path: Path, choice: Choice) -> Source:
    bvh = bvh_text.read(path)
    unit, note = choice.metres_per_unit, ""
    if unit is None:
        unit, note = _guess_unit(path, bvh, choice.limbs)
    armature = _import_bvh(path, bvh, unit)
    if choice.armature not in (None, ALL, armature.name):
        raise RigError(f"{path.name}: there is no armature {choice.armature!r}; its only one is {armature.name!r}")
    _take_up(path, armature, choice)
    return Source(path, armature, BVH_FIRST_FRAME, unit, note, bvh, armatures=(armature,))


def _import_bvh(path: Path, bvh: Bvh, metres_per_unit: float) -> bpy.types.Object:
    """Let Blender import a BVH, in a form that it reads without guessing, and return the armature."""
    with tempfile.TemporaryDirectory(prefix="toehold-") as folder:
        plain = Path(folder) / f"{path.stem}.bvh"
        plain.write_text(plain_text(bvh), encoding="utf-8")
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
    return limbs_of(armature, hands).limbs


def limbs_of(armature: bpy.types.Object, hands: bool = False) -> FoundLimbs:
    """Do what ``legs_of`` does, and return what is not sure of them too."""
    try:
        return search_limbs(armature, hands)
    except RigError as error:
        raise RigError(f"{error}, with --limbs") from None


def _guess_unit(path: Path, bvh: Bvh, limbs: Sequence[LimbBones] | None) -> tuple[float, str]:
    """Return metres per unit and how they were found: from the length of the legs, once they are known."""
    offsets = bvh.offsets
    rest = np.zeros_like(offsets)
    for joint, parent in enumerate(bvh.parents):
        rest[joint] = offsets[joint] + (rest[parent] if parent >= 0 else 0.0)
    size = float(np.max(np.ptp(rest, axis=0)))
    # A few frames of all are enough for finding the limbs.
    some = np.unique(np.linspace(0, len(bvh.values) - 1, _SOME_FRAMES).astype(int))
    few = replace(bvh, values=bvh.values[some])
    scratch = _import_bvh(path, few, _MAN_HEIGHT / size if size > 0.0 else 1.0)
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
    unit, name = guess_metres_per_unit(leg, sum(not limb.hand for limb in measured))
    return unit, f"guessed {unit:.5g} m per unit ({name}): the leg is {leg * unit:.2f} m long; --unit overrules"
