# SPDX-License-Identifier: GPL-3.0-or-later
"""The path that an object draws: a curve as Blender evaluates it, or the longest stroke of a grease pencil."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np

from ...solver.rotations import FloatArray
from ...solver.signals import IntArray
from ..common.versions import channelbag_of
from ..common.wording import RigError

PATHS = ("CURVE", "GREASEPENCIL", "GPENCIL")
# How many speeds are read along a curve whose Evaluation Time is keyed.
_SPEEDS = 201


def path_points(name: str) -> FloatArray:
    """Return the points (P, 3) that an object draws in the world; RigError where it draws none."""
    thing: Any = bpy.data.objects.get(name)
    if thing is None:
        raise RigError('there is no object "{name}" to follow: choose a curve', name=name)
    if thing.type == "CURVE":
        points = _of_curve(thing)
    elif thing.type in PATHS:
        points = _of_strokes(thing)
    else:
        raise RigError('"{name}" is no path: choose a curve or a grease pencil', name=name)
    if len(points) < 2:
        raise RigError('"{name}" has no line to follow: draw one in it', name=name)
    matrix = np.array(thing.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world)
    return np.asarray(points @ matrix[:3, :3].T + matrix[:3, 3])


def _of_curve(thing: Any) -> FloatArray:
    """Return the points (P, 3) of a curve's longest spline in its own frame, without thickness or fill."""
    graph = bpy.context.evaluated_depsgraph_get()
    data = thing.evaluated_get(graph).data.copy()
    bare = bpy.data.objects.new(thing.name, data)
    try:
        data.bevel_depth = data.extrude = data.offset = 0.0
        data.bevel_object = data.taper_object = None
        if data.dimensions == "2D":
            data.fill_mode = "NONE"
        mesh = bare.to_mesh()
        places = np.empty(3 * len(mesh.vertices), dtype=np.float32)
        mesh.vertices.foreach_get("co", places)
        edges = np.empty(2 * len(mesh.edges), dtype=np.int32)
        mesh.edges.foreach_get("vertices", edges)
        bare.to_mesh_clear()
    finally:
        bpy.data.objects.remove(bare)
        bpy.data.curves.remove(data)
    return _longest(places.reshape(-1, 3).astype(np.float64), edges.reshape(-1, 2).astype(np.intp))


def _longest(places: FloatArray, edges: IntArray) -> FloatArray:
    """Return the points of the longest chain: corners of a spline follow one another, a closed one's last its first."""
    if len(places) == 0:
        return places
    along = {int(a) for a, b in edges if b == a + 1}
    ends = [at for at in range(len(places)) if at not in along]
    closing = {int(max(a, b)): int(min(a, b)) for a, b in edges if abs(int(a) - int(b)) > 1}
    chains, start = [], 0
    for end in ends:
        chain = places[start : end + 1]
        if closing.get(end) == start:
            chain = np.concatenate([chain, chain[:1]])
        chains.append(chain)
        start = end + 1
    return max(chains, key=lambda chain: float(np.linalg.norm(np.diff(chain, axis=0), axis=-1).sum()))


def _of_strokes(thing: Any) -> FloatArray:
    """Return the points (P, 3) of the longest stroke that is shown, in the object's own frame."""
    strokes: list[Sequence[Sequence[float]]] = []
    for layer in thing.data.layers:
        frame = layer.current_frame() if hasattr(layer, "current_frame") else layer.active_frame
        drawing = getattr(frame, "drawing", frame)
        if drawing is None:
            continue
        for stroke in drawing.strokes:
            strokes.append([tuple(getattr(point, "position", None) or point.co) for point in stroke.points])
    if not strokes:
        return np.zeros((0, 3))
    return max((np.array(stroke) for stroke in strokes), key=len)


def keyed_speed(name: str, length: float) -> FloatArray | None:
    """Return speeds (M,) at even shares of a curve that its keyed Evaluation Time says; None where it is not keyed.

    length : metres of the curve.
    """
    thing: Any = bpy.data.objects.get(name)
    data = None if thing is None or thing.type != "CURVE" else thing.data
    animation = None if data is None else data.animation_data
    curve = None if animation is None or animation.action is None else _evaluation_time(animation)
    if curve is None:
        return None
    ends: Any = curve.range()
    first, last = float(ends[0]), float(ends[1])
    times = np.linspace(first, last, max(int(4 * (last - first)), 8) + 1)
    shares = np.maximum.accumulate([curve.evaluate(time) for time in times]) / max(data.path_duration, 1)
    render = bpy.context.scene.render
    seconds = (times - times[0]) * render.fps_base / render.fps
    if shares[-1] <= shares[0]:
        raise RigError('the Evaluation Time of "{name}" does not rise: key it from 0 to the path\'s length', name=name)
    rates = np.gradient(shares, seconds) * length
    moving = np.concatenate([[True], np.diff(shares) > 1e-9])
    at = shares[0] + np.linspace(0.0, 1.0, _SPEEDS) * (shares[-1] - shares[0])
    speeds = np.interp(at, shares[moving], rates[moving])
    return np.maximum(speeds, 0.05 * float(speeds.max()))


def _evaluation_time(animation: Any) -> bpy.types.FCurve | None:
    bag = None if animation.action_slot is None else channelbag_of(animation.action, animation.action_slot)
    return None if bag is None else bag.fcurves.find("eval_time")
