# SPDX-License-Identifier: GPL-3.0-or-later
"""Save a scene in the format that a file's ending names: whole or not at all."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix

from ..rig.common.wording import RigError
from ..rig.contacts.carried import carried
from ..rig.curves.channels import active_action
from ..rig.curves.stack import action_in_hand
from ..rig.writing.nla import remembers_strips
from . import gltf as gltf_text
from .fbx_takes import contacts_noted, written_as
from .gltf_place import place_gltf
from .hush import hushed
from .placing import placed
from .scenes import Source, current_scene
from .takes import stack_names, stash, takes_of

# How far an armature's own transform may go and still count as standing still.
_STANDS_STILL = 1e-5


def save(source: Source, out: Path) -> None:
    """Save the open scene, with the motion of the source's armature, as ``out``."""
    ending = out.suffix.lower()
    if source.armature.matrix_world.is_negative and ending not in {".blend", ".fbx"}:
        # Blender's glTF exporter writes another motion then.
        raise RigError(
            f"{source.armature.name}: the armature is mirrored by a negative scale, which a {ending} cannot hold; "
            "write a .blend or .fbx"
        )
    savers: dict[str, Callable[[Source, Path], None]] = {".blend": _save_blend, ".fbx": _save_fbx, ".bvh": _save_bvh}
    try:
        with carried(source.armature):
            savers.get(ending, _save_gltf)(source, out.absolute())  # Blender does not look from where Python does
    except (RuntimeError, OSError) as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip() and not line.startswith("Location:")]
        raise RigError(f"{out.name}: could not be written ({lines[-1] if lines else error}); nothing was") from error


def _save_blend(source: Source, out: Path) -> None:
    # Blender does not save what is not in use, and an armature uses one action at a time.
    for action in bpy.data.actions:
        action.use_fake_user = action.use_fake_user or action.users == 0
    # In the folder itself: paths in the file are relative to it.
    handle, beside = tempfile.mkstemp(prefix=".toehold-", suffix=".blend", dir=out.parent)
    os.close(handle)
    try:
        with hushed():
            bpy.ops.wm.save_as_mainfile(filepath=beside, copy=True, check_existing=False)
        os.replace(beside, out)
    finally:
        for left in (Path(beside), Path(f"{beside}1")):
            left.unlink(missing_ok=True)


def _save_fbx(source: Source, out: Path) -> None:
    is_fbx = source.path.suffix.lower() == ".fbx" and source.path.is_file()
    takes = takes_of(current_scene().objects, stack_names(source.path) if is_fbx else ())
    scene = current_scene()
    scene.frame_start = max(int(min((take.start for take in takes), default=scene.frame_start)), 0)
    scene.frame_end = max(round(max((take.end for take in takes), default=scene.frame_end)), scene.frame_start)

    def write(beside: Path) -> None:
        with hushed(), written_as(takes), contacts_noted(takes):
            bpy.ops.export_scene.fbx(
                filepath=str(beside),
                object_types={"ARMATURE", "MESH", "EMPTY", "CAMERA", "LIGHT", "OTHER"},
                use_custom_props=True,
                add_leaf_bones=False,
                bake_anim_use_nla_strips=False,
                bake_anim_use_all_actions=False,
                bake_anim_simplify_factor=0.0,
            )

    placed(out, write)


def _save_gltf(source: Source, out: Path) -> None:
    # Of NLA strips, only what is seen of them all is one action.
    seen = remembers_strips(action_in_hand(source.armature)[0])
    if not seen:
        stash(takes_of(current_scene().objects))

    def write(beside: Path) -> None:
        with hushed():
            bpy.ops.export_scene.gltf(
                filepath=str(beside),
                export_format="GLB" if out.suffix.lower() == ".glb" else "GLTF_SEPARATE",
                export_animation_mode="ACTIVE_ACTIONS" if seen else "ACTIONS",
                export_merge_animation="NLA_TRACK",
                export_extras=True,
                export_cameras=True,
                export_lights=True,
                export_optimize_animation_size=False,
            )

    if out.suffix.lower() == ".glb":
        placed(out, write)
        return
    with tempfile.TemporaryDirectory(prefix="toehold-") as folder:
        beside = Path(folder) / out.name
        write(beside)
        place_gltf(gltf_text.read(beside), out)


def _save_bvh(source: Source, out: Path) -> None:
    """Export as BVH: Y up, metres."""
    armature = source.armature
    first, last = _set_scene_range(armature)
    _refuse_moving_object(armature, first, last)
    scale = float(np.mean(np.array(armature.matrix_world.to_scale())))
    # The exporter writes the armature's own axes, and a BVH has Y up: turn the armature so that the two are the same.
    armature.parent = None
    armature.matrix_world = (
        Matrix.Rotation(-0.5 * np.pi, 4, "X") @ armature.matrix_world.to_quaternion().to_matrix().to_4x4()
    )
    view_layer = bpy.context.view_layer
    assert view_layer is not None
    view_layer.objects.active = armature
    bpy.ops.object.select_all(action="DESELECT")
    armature.select_set(True)

    def write(beside: Path) -> None:
        with hushed():
            bpy.ops.object.transform_apply(location=False, rotation=True, scale=False)
            bpy.ops.export_anim.bvh(filepath=str(beside), frame_start=first, frame_end=last, global_scale=scale)
        _write_exact_frame_time(beside)

    placed(out, write)


def _write_exact_frame_time(path: Path) -> None:
    # The exporter rounds it to 6 decimals, which at 120 frames a second is another rate.
    render = current_scene().render
    text = path.read_text(encoding="utf-8")
    exact = f"Frame Time: {render.fps_base / render.fps:.10f}"
    path.write_text(re.sub(r"Frame Time: \S+", exact, text, count=1), encoding="utf-8")


def _refuse_moving_object(armature: bpy.types.Object, first: int, last: int) -> None:
    scene = current_scene()
    places = []
    for frame in np.linspace(first, last, num=5).round().astype(int):
        scene.frame_set(int(frame))
        places.append(np.array(armature.matrix_world))
    if np.ptp(np.array(places), axis=0).max() > _STANDS_STILL:
        raise RigError(
            f"{armature.name}: the armature object itself moves, which a .bvh cannot hold; write a .blend, .fbx or .glb"
        )


def _set_scene_range(armature: bpy.types.Object) -> tuple[int, int]:
    start, end = np.array(active_action(armature).frame_range)
    scene = current_scene()
    scene.frame_start, scene.frame_end = round(float(start)), round(float(end))
    return scene.frame_start, scene.frame_end
