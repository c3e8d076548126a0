# SPDX-License-Identifier: GPL-3.0-or-later
"""Let parts of a body fall with Blender's Bullet: they are led for some frames, then let go with the speed they had."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import bpy
import numpy as np
from mathutils import Quaternion, Vector

from ...solver import rotations
from ...solver.arrays import FloatArray
from ...solver.gait.ragdoll import Part
from .temporary_scene import temporary_scene

# Steps of the engine a second, and the rounds in which it brings joints together; fewer let joints gape by centimetres.
_STEPS_A_SECOND, _ROUNDS = 1200, 40
_LINEAR_DAMPING, _ANGULAR_DAMPING = 0.05, 0.5
_FRICTION, _FLOOR_FRICTION = 0.7, 0.9
_LAYERS = 20
_STILL = 3
_FLOOR = 200.0
_FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


# Where a part is and how it is turned, (3,) and (4,).
Pose = tuple[FloatArray, FloatArray]


@dataclass(frozen=True)
class Led:
    """Where parts are led before they are let go: centres (F, P, 3) metres and turns (F, P, 4)."""

    centres: FloatArray
    turned: FloatArray


def fall(
    parts: Sequence[Part], led: Led, frames: int, fps: float, ground: float
) -> tuple[FloatArray, FloatArray, float]:
    """Return centres (frames, P, 3) and turns (frames, P, 4) after the last led frame, and how far joints gape (m).

    The joints' limits are counted from the first led frame. The same input gives the same result, bit for bit.
    """
    # Joints are made while the parts lie still: in motion, Blender takes them a step apart.
    still = np.maximum(np.arange(-_STILL, len(led.centres)), 0)
    led = Led(led.centres[still], led.turned[still])
    given = len(led.centres)
    with temporary_scene(fps) as scene:
        world = scene.rigidbody_world
        world.substeps_per_frame = max(int(np.ceil(_STEPS_A_SECOND / fps)), 4)
        world.solver_iterations = _ROUNDS
        world.point_cache.frame_start, world.point_cache.frame_end = 1, given + frames + 1
        scene.frame_start, scene.frame_end = 1, given + frames + 1
        bodies = [_part(scene, part, at, led) for at, part in enumerate(parts)]
        _floor(scene, ground, led.centres[-1].mean(axis=0))
        for at, part in enumerate(parts):
            if part.parent >= 0:
                _joint(scene, part, (bodies[part.parent], bodies[at]), (led.centres[0, at], led.turned[0, at]))
        centres, turned = np.empty((frames, len(parts), 3)), np.empty((frames, len(parts), 4))
        for number in range(1, given + frames + 1):
            scene.frame_set(number)
            if number > given:
                matrices = np.array([body.matrix_world for body in bodies])
                centres[number - given - 1] = matrices[:, :3, 3]
                turned[number - given - 1] = rotations.from_matrices(matrices[:, :3, :3])
    return centres, turned, _gape(parts, led, centres, turned)


def _gape(parts: Sequence[Part], led: Led, centres: FloatArray, turned: FloatArray) -> float:
    """Return how far a joint is from where the part that it hangs from has it, at most (metres)."""
    worst = 0.0
    for at, part in enumerate(parts):
        if part.parent < 0:
            continue
        start = led.centres[0, at] - rotations.rotate(led.turned[0, at], part.centre)
        over = start - led.centres[0, part.parent]
        own = rotations.rotate(rotations.inverse(led.turned[0, part.parent]), over)
        there = centres[:, part.parent] + rotations.rotate(turned[:, part.parent], own)
        here = centres[:, at] - rotations.rotate(turned[:, at], part.centre)
        worst = max(worst, float(np.linalg.norm(there - here, axis=-1).max()))
    return worst


def _box(scene: bpy.types.Scene, name: str, size: FloatArray) -> bpy.types.Object:
    mesh = bpy.data.meshes.new(name)
    half = 0.5 * size
    corners = [(x * half[0], y * half[1], z * half[2]) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    mesh.from_pydata(corners, [], _FACES)
    made = bpy.data.objects.new(name, mesh)
    scene.collection.objects.link(made)
    return made


def _rigid(scene: bpy.types.Scene, thing: bpy.types.Object, kind: Literal["ACTIVE", "PASSIVE"]) -> Any:
    # Being in the collection makes it a rigid body; the operator for it crashes Blender 4.5 without a window.
    scene.rigidbody_world.collection.objects.link(thing)
    body: Any = thing.rigid_body
    body.type = kind
    body.collision_shape = "BOX"
    body.use_margin, body.collision_margin = True, 0.0
    body.restitution = 0.0
    return body


def _part(scene: bpy.types.Scene, part: Part, at: int, led: Led) -> bpy.types.Object:
    thing = _box(scene, f"Toehold Part {at}", part.size)
    thing.rotation_mode = "QUATERNION"
    body = _rigid(scene, thing, "ACTIVE")
    body.mass = part.mass
    body.linear_damping, body.angular_damping = _LINEAR_DAMPING, _ANGULAR_DAMPING
    body.friction = _FRICTION
    body.use_deactivation = False
    # Parts of a body do not meet each other but where there are more than there are layers.
    body.collision_collections = [layer == at % _LAYERS for layer in range(_LAYERS)]
    for number, (centre, turn) in enumerate(zip(led.centres[:, at], led.turned[:, at], strict=True), start=1):
        thing.location, thing.rotation_quaternion = Vector(centre), Quaternion(turn)
        thing.keyframe_insert("location", frame=number)
        thing.keyframe_insert("rotation_quaternion", frame=number)
    body.kinematic = True
    thing.keyframe_insert("rigid_body.kinematic", frame=1)
    thing.keyframe_insert("rigid_body.kinematic", frame=len(led.centres))
    body.kinematic = False
    thing.keyframe_insert("rigid_body.kinematic", frame=len(led.centres) + 1)
    return thing


def _floor(scene: bpy.types.Scene, ground: float, middle: FloatArray) -> None:
    thing = _box(scene, "Toehold Floor", np.array([_FLOOR, _FLOOR, 2.0]))
    thing.location = Vector((middle[0], middle[1], ground - 1.0))
    body = _rigid(scene, thing, "PASSIVE")
    body.friction = _FLOOR_FRICTION
    body.collision_collections = [True] * _LAYERS


def _joint(scene: bpy.types.Scene, part: Part, ends: tuple[bpy.types.Object, bpy.types.Object], led: Pose) -> None:
    thing = bpy.data.objects.new("Toehold Joint", None)
    scene.collection.objects.link(thing)
    thing.rotation_mode = "QUATERNION"
    thing.location = Vector((led[0] - rotations.rotate(led[1], part.centre)).tolist())
    thing.rotation_quaternion = Quaternion(rotations.multiply(led[1], part.axes).tolist())
    scene.rigidbody_world.constraints.objects.link(thing)
    joint: Any = thing.rigid_body_constraint
    joint.type = "GENERIC"
    joint.object1, joint.object2 = ends
    joint.disable_collisions = True
    for axis, lower, upper in zip("xyz", part.lower.tolist(), part.upper.tolist(), strict=True):
        setattr(joint, f"use_limit_lin_{axis}", True)
        setattr(joint, f"limit_lin_{axis}_lower", 0.0)
        setattr(joint, f"limit_lin_{axis}_upper", 0.0)
        setattr(joint, f"use_limit_ang_{axis}", True)
        setattr(joint, f"limit_ang_{axis}_lower", lower)
        setattr(joint, f"limit_ang_{axis}_upper", upper)
