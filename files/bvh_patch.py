# SPDX-License-Identifier: GPL-3.0-or-later
"""Between a BVH and the armature that Blender makes of it: text for the importer, and a changed Clip's numbers back."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..rig.common.wording import RigError
from ..solver import rotations
from ..solver.clip import Clip, Skeleton
from ..solver.rotations import FloatArray
from .bvh import Bvh
from .bvh_motion import local_transforms, rotation_channels, y_up, y_up_rotations

IntArray = NDArray[np.int64]

# Blender cuts the names of bones off after this many bytes.
_LONGEST_BONE_NAME = 63

# Length of a tip that the file does not tell, against the bone before it.
_LEVEL_TIP = 0.4

# A smaller change than these is rounding, and no number of the file changes for it (radians, metres).
_NO_TURN = 1e-9
_NO_MOVE = 1e-9

# How far a joint with fewer than three rotation channels may miss its rotation (radians; half a degree).
_LARGEST_MISS = 0.0087


def bone_names(bvh: Bvh) -> tuple[str, ...]:
    """Return the name of each joint's bone: the joint's own, where Blender would keep it and it is the only one."""
    taken: set[str] = set()
    names: list[str] = []
    for name, tip in zip(bvh.names, bvh.is_tip, strict=True):
        bone = "_".join(name.split()).encode()[:_LONGEST_BONE_NAME].decode(errors="ignore")
        number = 1
        while not tip and bone in taken:
            bone = f"{bone.encode()[: _LONGEST_BONE_NAME - 4].decode(errors='ignore')}.{number:03d}"
            number += 1
        if not tip:
            taken.add(bone)
        names.append(bone)
    return tuple(names)


def plain_text(bvh: Bvh, frame_count: int | None = None) -> str:
    """Return the first frames of a BVH in the form that Blender's importer reads without guessing.

    Each joint has all three rotations, in its own order, and all three positions or none; a line is a frame.
    """
    frames = len(bvh.values) if frame_count is None else frame_count
    text = io.StringIO()
    text.write("HIERARCHY\n")
    children: dict[int, list[int]] = {}
    for joint, parent in enumerate(bvh.parents):
        children.setdefault(parent, []).append(joint)
    columns = [_write_joint(text, bvh, joint, children, bone_names(bvh)) for joint in children[-1]]
    text.write(f"MOTION\nFrames: {frames}\nFrame Time: {bvh.frame_time!r}\n")
    _, locations = local_transforms(bvh)
    table = np.concatenate([part for tree in columns for part in _tables(bvh, tree, locations)], axis=1)
    np.savetxt(text, table[:frames], fmt="%.17g")
    return text.getvalue()


def _write_joint(
    text: io.StringIO, bvh: Bvh, joint: int, children: dict[int, list[int]], names: tuple[str, ...]
) -> list[int]:
    """Write one joint and everything below it; return the joints with channels, in the order of their columns."""
    tip = bvh.is_tip[joint]
    offset = " ".join(repr(float(number)) for number in (_tip_offset(bvh, joint) if tip else bvh.offsets[joint]))
    if tip:
        text.write(f"End Site\n{{\nOFFSET {offset}\n}}\n")
        return []
    channels = [f"{axis}position" for axis in "XYZ"] if _has_positions(bvh, joint) else []
    channels += [f"{axis}rotation" for axis in _full_order(bvh, joint)]
    kind = "ROOT" if bvh.parents[joint] < 0 else "JOINT"
    text.write(f"{kind} {names[joint]}\n{{\nOFFSET {offset}\nCHANNELS {len(channels)} {' '.join(channels)}\n")
    written = [joint]
    for child in children.get(joint, []):
        written += _write_joint(text, bvh, child, children, names)
    text.write("}\n")
    return written


def _tip_offset(bvh: Bvh, joint: int) -> FloatArray:
    """Return where a bone ends. Where the file does not say, and the joint is beside its parent: level, on from there.

    Blender would go on in the parent's direction, which for toes is far below the floor.
    """
    offset: FloatArray = bvh.offsets[joint]
    onward: FloatArray = bvh.offsets[bvh.parents[joint]]
    level: FloatArray = onward * np.array([1.0, 0.0, 1.0])
    if np.any(offset != 0.0) or np.linalg.norm(level) < 0.5 * np.linalg.norm(onward):
        return offset
    return _LEVEL_TIP * level


def _tables(bvh: Bvh, joints: list[int], locations: FloatArray) -> list[FloatArray]:
    tables = []
    for joint in joints:
        if _has_positions(bvh, joint):
            tables.append(locations[:, joint])
        columns = rotation_columns(bvh, joint)
        missing = np.zeros((len(bvh.values), 3 - len(columns)))
        tables.append(np.concatenate([bvh.values[:, columns], missing], axis=1))
    return tables


def _has_positions(bvh: Bvh, joint: int) -> bool:
    return any(channel.endswith("position") for channel in bvh.channels[joint])


def rotation_columns(bvh: Bvh, joint: int) -> list[int]:
    """Return the columns of a joint's rotation channels, in the file's order."""
    first = bvh.first_channels[joint]
    return [column for column, channel in enumerate(bvh.channels[joint], start=first) if channel.endswith("rotation")]


def _order(bvh: Bvh, joint: int) -> str:
    return "".join(channel[0] for channel in bvh.channels[joint] if channel.endswith("rotation"))


def _full_order(bvh: Bvh, joint: int) -> str:
    order = _order(bvh, joint)
    return order + "".join(axis for axis in "XYZ" if axis not in order)


def patched_values(
    bvh: Bvh, source: Clip, result: Clip, bones: Sequence[str | None], rows: IntArray, metres_per_unit: float
) -> FloatArray:
    """Return the file's values ``(F, C)`` with the channels changed that make ``result`` of ``source``.

    source, result : the clip as it was sampled from the imported armature, and as it should become.
    bones : of each of the clip's joints, None for a tip.
    rows : the file's frame of each of the clip's frames.
    Raises RigError where the file has no channel for a change.
    """
    values = bvh.values.copy()
    turned, _ = local_transforms(bvh)
    rest = _rest_rotations(source.skeleton)
    joint_of = {name: joint for joint, name in enumerate(bone_names(bvh)) if not bvh.is_tip[joint]}
    for at, bone in enumerate(bones):
        if bone is None:
            continue
        joint = joint_of[bone]
        before, after = source.local_rotations[:, at], result.local_rotations[:, at]
        change = rotations.multiply(rotations.inverse(before), after)
        moves = result.local_locations[:, at] - source.local_locations[:, at]
        # The change in the bone's own frame, seen in the file's: a joint's axes there are the world's in the rest pose.
        turn = y_up_rotations(rotations.multiply(rotations.multiply(rest[at], change), rotations.inverse(rest[at])))
        where = np.flatnonzero(rotations.angle_between(before, after) > _NO_TURN)
        _turn(bvh, values, joint, rows[where], rotations.multiply(turned[rows[where], joint], turn[where]))
        where = np.flatnonzero(np.linalg.norm(moves, axis=-1) > _NO_MOVE)
        if len(where):
            parent = source.skeleton.parents[at]
            moves = moves if parent < 0 else rotations.rotate(rest[parent], moves)
            _move(bvh, values, joint, rows[where], y_up(moves[where]) / metres_per_unit)
    return values


def _rest_rotations(skeleton: Skeleton) -> FloatArray:
    rest = skeleton.rest_rotations.copy()
    for joint, parent in enumerate(skeleton.parents):
        if parent >= 0:
            rest[joint] = rotations.multiply(rest[parent], rest[joint])
    return rest


def _turn(bvh: Bvh, values: FloatArray, joint: int, rows: IntArray, wanted: FloatArray) -> None:
    """Set a joint's rotation channels in some rows to its wanted rotations ``(rows, 4)``."""
    if not len(rows):
        return
    order, columns = _order(bvh, joint), rotation_columns(bvh, joint)
    angles = rotation_channels(order, wanted, bvh.values[rows[:, None], columns])
    if len(order) < 3:
        reached = np.tile(rotations.IDENTITY, (len(rows), 1))
        for axis, angle in zip(order, np.radians(angles).T, strict=True):
            turn = rotations.from_axis_angle(np.eye(3)["XYZ".index(axis)], angle)
            reached = rotations.multiply(reached, turn)
        if np.max(rotations.angle_between(reached, wanted)) > _LARGEST_MISS:
            raise RigError(
                f"{bvh.file_name}: joint {bvh.names[joint]!r} has too few rotation channels to hold the result; "
                "write a .blend, .fbx or .glb, or give it three"
            )
    values[rows[:, None], columns] = angles


def _move(bvh: Bvh, values: FloatArray, joint: int, rows: IntArray, moves: FloatArray) -> None:
    """Move a joint in some rows by ``moves`` ``(rows, 3)``, in its parent's frame and the file's unit."""
    first = bvh.first_channels[joint]
    columns = {channel: column for column, channel in enumerate(bvh.channels[joint], start=first)}
    wanted = [f"{axis}position" for axis in "XYZ"]
    if not all(channel in columns for channel in wanted):
        raise RigError(
            f"{bvh.file_name}: joint {bvh.names[joint]!r} has to move but has no position channels; "
            "choose another root with --limbs, or write a .blend, .fbx or .glb"
        )
    values[rows[:, None], [columns[channel] for channel in wanted]] += moves
