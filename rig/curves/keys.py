# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of a curve in bulk: a dense run of baked keys in a window, everything outside it kept as it was."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...solver import signals
from ...solver.rotations import FloatArray
from ..common import versions
from . import stack
from .channels import TRANSFORMS, Channels, bone_path, custom_property, has_active_modifiers, key_coordinates

Attributes = dict[str, NDArray[Any]]

# What a key is made of.
_COORDINATES = ("co", "handle_left", "handle_right")
# With the values that a key inserted by hand has.
_NUMBERS = {"amplitude": 0.8, "period": 4.1, "back": 1.70158}
_HANDLE_TYPES = ("handle_left_type", "handle_right_type")
_CHOICES = ("interpolation", "easing", "type", *_HANDLE_TYPES)
_SWITCHES = ("select_control_point", "select_left_handle", "select_right_handle")

# Keys no further apart than this, in frames, are on every frame, and an angle that changes more between two (radians)
# goes on at the other end of the circle.
_DENSE = 1.5
_JUMP = 3.0

# A key this near to a frame, in frames, is that frame's.
_SAME_FRAME = 1e-3


def choice(attribute: str, identifier: str) -> int:
    """Return the number that stands for one of a key's choices in bulk access, such as interpolation LINEAR."""
    described = bpy.types.Keyframe.bl_rna.properties[attribute]
    assert isinstance(described, bpy.types.EnumProperty)
    return int(described.enum_items[identifier].value)


def set_keys(curve: bpy.types.FCurve, frames: FloatArray, values: FloatArray, **choices: str) -> None:
    """Make these the curve's only keys, none selected, all with the same ``choices`` (``interpolation="LINEAR"``)."""
    points = curve.keyframe_points
    points.clear()
    points.add(len(frames))
    points.foreach_set("co", np.stack([frames, values], axis=-1).astype(np.float32).ravel())
    for attribute, identifier in choices.items():
        points.foreach_set(attribute, np.full(len(frames), choice(attribute, identifier), dtype=np.int32))
    for attribute in _SWITCHES:
        points.foreach_set(attribute, np.zeros(len(frames), dtype=np.bool_))
    curve.update()


def bake(curve: bpy.types.FCurve, frames: FloatArray, values: FloatArray) -> None:
    """Put a key of type GENERATED on each of ``frames``, whole and without gaps; the curve outside stays as it was.

    Where the curve has keys outside, it is pinned one frame before and one frame after the window: Blender's own
    insertion splits a Bezier segment without changing its shape.
    """
    first, last = float(frames[0]), float(frames[-1])
    times = key_coordinates(curve)[:, 0]
    if not np.any(times < first - _SAME_FRAME) and not np.any(times > last + _SAME_FRAME):
        set_keys(curve, frames, values, interpolation="LINEAR", type="GENERATED")
        return
    types = _hold_handles(curve)
    _pin(curve, first - 1.0)
    _pin(curve, last + 1.0)
    kept = _snapshot(curve)
    before = kept["co"][:, 0] < first - _SAME_FRAME
    after = kept["co"][:, 0] > last + _SAME_FRAME
    for side in (np.flatnonzero(before)[::-1], np.flatnonzero(after)):
        # Automatic handles next to the window would be moved by their new neighbours; all others stay automatic.
        for at in side[2:]:
            was = int(np.argmin(np.abs(times - kept["co"][at, 0])))
            for name in _HANDLE_TYPES:
                kept[name][at] = types[name][was]
    # The segment from the last key before the window to its first is ours.
    kept["interpolation"][np.flatnonzero(before)[-1:]] = choice("interpolation", "LINEAR")
    dense = _dense_keys(frames, values)
    _restore(
        curve,
        {name: np.concatenate([kept[name][before], dense[name], kept[name][after]]) for name in kept},
    )


def replace_generated(curve: bpy.types.FCurve, frames: FloatArray, values: FloatArray) -> None:
    """Give the keys of type GENERATED on ``frames``, about a frame apart, new values; all others stay."""
    points = curve.keyframe_points
    at = key_coordinates(curve)
    types = np.empty(len(points), dtype=np.int32)
    points.foreach_get("type", types)
    index = np.searchsorted(0.5 * (frames[1:] + frames[:-1]), at[:, 0])
    ours = (types == choice("type", "GENERATED")) & (np.abs(at[:, 0] - frames[index]) < 0.5)
    at[ours, 1] = values[index[ours]]
    points.foreach_set("co", at.astype(np.float32).ravel())
    curve.update()


def retime(curve: bpy.types.FCurve, moved: Callable[[FloatArray], FloatArray]) -> None:
    """Move a curve's keys and handles in time: ``moved`` gives their new frames ``(N,)``, in the same order.

    A curve that is keyed on every frame is keyed on whole frames again, on a smooth line through its values: limbs
    that straight lines are drawn between go astray there, and planted feet tremble.
    """
    points = curve.keyframe_points
    if _is_dense(curve):
        times, values = key_coordinates(curve).T
        times = moved(times)
        inside = np.arange(np.ceil(times[0] + _SAME_FRAME), np.floor(times[-1] - _SAME_FRAME) + 1.0)
        frames = np.concatenate([times[:1], inside, times[-1:]])
        set_keys(curve, frames, signals.drawn_through(times, values, frames), interpolation="LINEAR")
        return
    for name in _COORDINATES:
        at = np.empty(2 * len(points), dtype=np.float32)
        points.foreach_get(name, at)
        at[::2] = moved(at[::2].astype(np.float64))
        points.foreach_set(name, at)
    curve.update()


def _is_dense(curve: bpy.types.FCurve) -> bool:
    """Whether a curve that moves something has straight lines from frame to frame, and no jumps as angles have."""
    if not curve.data_path.endswith(("location", "rotation_quaternion", "rotation_euler", "scale")):
        return False
    times, values = key_coordinates(curve).T
    interpolations = np.empty(len(times), dtype=np.int32)
    curve.keyframe_points.foreach_get("interpolation", interpolations)
    straight = bool(np.all(interpolations == choice("interpolation", "LINEAR")))
    jumps = curve.data_path.endswith("rotation_euler") and np.abs(np.diff(values)).max(initial=0.0) > _JUMP
    return straight and len(times) > 3 and float(np.diff(times).max()) < _DENSE and not jumps


def copy(source: bpy.types.FCurve, curve: bpy.types.FCurve) -> None:
    """Give a curve the keys of another one."""
    _restore(curve, _snapshot(source))


def kept(curve: bpy.types.FCurve) -> Attributes:
    """Return all that the keys of a curve are, for ``put_back``."""
    return _snapshot(curve)


def put_back(curve: bpy.types.FCurve, keys: Mapping[str, NDArray[Any]]) -> None:
    """Give a curve the keys that ``kept`` returned."""
    _restore(curve, keys)


def _hold_handles(curve: bpy.types.FCurve) -> Attributes:
    """Make automatic handles stay where they are, and return the types that they had."""
    points = curve.keyframe_points
    held: Attributes = {}
    for name in _HANDLE_TYPES:
        types = np.empty(len(points), dtype=np.int32)
        points.foreach_get(name, types)
        held[name] = types
        still = np.where(types == choice(name, "VECTOR"), choice(name, "FREE"), types)
        automatic = (types == choice(name, "AUTO")) | (types == choice(name, "AUTO_CLAMPED"))
        points.foreach_set(name, np.where(automatic, choice(name, "ALIGNED"), still).astype(np.int32))
    return held


def _pin(curve: bpy.types.FCurve, frame: float) -> None:
    """Give the curve a key at ``frame`` if that is inside its keyed range, without changing its shape."""
    times = key_coordinates(curve)[:, 0]
    if times[0] + _SAME_FRAME < frame < times[-1] - _SAME_FRAME and np.abs(times - frame).min() > _SAME_FRAME:
        # Without FAST, and between handles that are not automatic: only so is the segment split and keeps its shape.
        curve.keyframe_points.insert(frame, curve.evaluate(frame))


def _dense_keys(frames: FloatArray, values: FloatArray) -> Attributes:
    count = len(frames)
    at = np.stack([frames, values], axis=-1).astype(np.float32)
    keys: Attributes = {name: at.copy() for name in _COORDINATES}
    for name, number in _NUMBERS.items():
        keys[name] = np.full(count, number, dtype=np.float32)
    chosen = dict.fromkeys(_CHOICES, "AUTO") | {
        "interpolation": "LINEAR",
        "type": "GENERATED",
        "handle_left_type": "AUTO_CLAMPED",
        "handle_right_type": "AUTO_CLAMPED",
    }
    for name, identifier in chosen.items():
        keys[name] = np.full(count, choice(name, identifier), dtype=np.int32)
    for name in _SWITCHES:
        keys[name] = np.zeros(count, dtype=np.bool_)
    return keys


def _snapshot(curve: bpy.types.FCurve) -> Attributes:
    points = curve.keyframe_points
    count = len(points)
    keys: Attributes = {}
    for names, width, kind in (
        (_COORDINATES, 2, np.float32),
        (tuple(_NUMBERS), 1, np.float32),
        (_CHOICES, 1, np.int32),
        (_SWITCHES, 1, np.bool_),
    ):
        for name in names:
            flat = np.empty(width * count, dtype=kind)
            points.foreach_get(name, flat)
            keys[name] = flat.reshape(count, width) if width > 1 else flat
    return keys


def _restore(curve: bpy.types.FCurve, keys: Mapping[str, NDArray[Any]]) -> None:
    points = curve.keyframe_points
    points.clear()
    points.add(len(keys["co"]))
    for name, values in keys.items():
        points.foreach_set(name, np.ascontiguousarray(values).ravel())
    curve.update()


# A key this near to a frame, in frames, is meant for it.
_SAME_FRAME = 1e-3


def end_holds(channels: Channels, bone_names: Iterable[str], frames: FloatArray) -> tuple[float, float]:
    """Return for how long, in frames, nothing moves after the first and before the last of ``frames`` (F,).

    That is where the first key comes after a whole frame, and the last before one; zero where curves go on outside
    their keys.
    """
    known = set(bone_names)
    curves = [
        curve
        for (bone, name), group in channels.of_bones.items()
        if name in TRANSFORMS and bone in known
        for curve in group.values()
    ]
    curves += [curve for name, group in channels.of_object.items() if name in TRANSFORMS for curve in group.values()]
    keyed = [curve for curve in curves if not curve.is_empty and not curve.mute]
    if not keyed or any(has_active_modifiers(curve) or curve.extrapolation != "CONSTANT" for curve in keyed):
        return 0.0, 0.0
    starts, ends = np.array([curve.range() for curve in keyed]).T
    first, last = float(starts.min() - frames[0]), float(frames[-1] - ends.max())
    return _within_a_step(first), _within_a_step(last)


def _within_a_step(share: float) -> float:
    return share if _SAME_FRAME < share < 1.0 - _SAME_FRAME else 0.0


def remove_properties(
    armature: bpy.types.Object, properties: Iterable[tuple[str, str]], action: bpy.types.Action | None = None
) -> int:
    """Remove custom properties (bone, name) of bones with their curves; return how many curves there were.

    They are removed from all slots of ``action``; without one, from the assigned slot of the armature's own. A
    property that another action has a curve for stays.
    """
    assigned = stack.channelbag_in_hand(armature)
    channelbags = list(versions.channelbags_of(action)) if action else [] if assigned is None else [assigned]
    removed = 0
    for bone_name, name in properties:
        path = bone_path(bone_name, custom_property(name))
        removed += sum(_remove_curve(channelbag, path) for channelbag in channelbags)
        bone = armature.pose.bones.get(bone_name)
        if bone is not None and bone.get(name) is not None and not _is_keyed_anywhere(path):
            del bone[name]
    return removed


def _remove_curve(channelbag: bpy.types.ActionChannelbag, path: str) -> bool:
    curve = channelbag.fcurves.find(path)
    if curve is None:
        return False
    # Blender removes a group that is left empty by itself.
    channelbag.fcurves.remove(curve)
    return True


def _is_keyed_anywhere(path: str) -> bool:
    return any(
        channelbag.fcurves.find(path) is not None
        for action in bpy.data.actions
        for channelbag in versions.channelbags_of(action)
    )
