# SPDX-License-Identifier: GPL-3.0-or-later
"""On a control rig the feet that are seen get where they have to be, by the keys of what an animator animates."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import bpy
import numpy as np
import pytest

from support.control_rigs import key, open_shared, rigify_walk, small_control_rig
from support.rigs import curves, joints_by_blender
from toehold.rig.common.wording import RigError
from toehold.rig.controls.limb_controls import find_controls, needs_controls
from toehold.rig.legs.find_legs import find_legs
from toehold.rig.sampling.sample import Sample, sample
from toehold.rig.verbs import journey
from toehold.rig.verbs.adapt import adapt
from toehold.rig.verbs.root_motion import RootMotionOptions, move_root
from toehold.rig.writing.write_controls import write_as_animated
from toehold.solver import rotations
from toehold.solver.cleanup.solution import displace_roots
from toehold.solver.clip import Clip
from toehold.solver.ground import FlatGround
from toehold.solver.limb import solve_limbs


def moved(sampled: Sample, size: float = 1.0) -> Clip:
    """Bring the toes up to 5 % of the leg elsewhere, and the hips 3 %, differently in every frame."""
    leg = size * sampled.limbs[0].length(sampled.clip)
    wave = np.sin(np.arange(len(sampled.frames)) * 0.3)[:, None] * leg
    hips = 0.03 * wave * np.array([1.0, 0.5, -1.0]) - np.array([0.0, 0.0, 0.02 * leg])
    toes = [sampled.clip.positions[:, limb.toe] + 0.05 * wave * np.array([0.7, -0.6, 0.3]) for limb in sampled.limbs]
    rooted = displace_roots(sampled.clip, (sampled.limbs[0].root,), hips[:, None])
    return solve_limbs(rooted, sampled.limbs, np.stack(toes, axis=1), FlatGround(-9.0))


def written(armature: bpy.types.Object, size: float = 1.0) -> tuple[set[str], float]:
    """Write a moved clip; return which bones got other keys, and how far toes and hips are from it, in mm."""
    source = armature.animation_data.action
    before = curves(source)
    sampled = sample(armature, find_legs(armature))
    clip = moved(sampled, size)

    result, shown = write_as_animated(armature, sampled, clip, "Moved")

    assert curves(source) == before
    assert armature.animation_data.action is result is not source
    seen = joints_by_blender(armature, sampled)
    assert np.abs(seen - shown.positions).max() <= 1e-5
    points = [sampled.limbs[0].root, *(limb.toe for limb in sampled.limbs)]
    after = curves(result)
    keyed = {
        path.split('"')[1] for slot, path, index in after if after[slot, path, index] != before.get((slot, path, index))
    }
    return keyed, float(np.abs(seen - clip.positions)[:, points].max()) * 1000.0


def test_the_shared_human_is_moved_by_its_hips_and_feet_controls(data: Path) -> None:
    armature = open_shared(data, "human")
    keyed, missed_mm = written(armature)
    assert keyed == {"CTRL_Hips", "CTRL_ILLEG_L", "CTRL_ILLEG_R"}
    assert missed_mm <= 1.0


def test_the_shared_kaiju_is_moved_with_its_locked_hips_left_alone(data: Path) -> None:
    armature = open_shared(data, "kaiju")
    # Its ankles do not lean for a foot that is further away than they reach.
    keyed, missed_mm = written(armature, size=0.6)
    assert keyed == {"DRV_root.001", "DRV_Back_Leg_Ankle_L.002", "DRV_Back_Leg_Ankle_R.002"}
    assert missed_mm <= 1.0


IN_INVERSE = {"torso", "foot_ik.L", "foot_ik.R"}
IN_FORWARD = {"torso", *(f"{part}_fk.{side}" for part in ("thigh", "shin", "foot") for side in "LR")}
# Keyed where a foot had to be turned to reach its place, and its toes were not to turn along.
TOES = {f"toe_{kinematics}.{side}" for kinematics in ("ik", "fk") for side in "LR"}
WALKS = {
    "inverse": ({1: 0.0}, IN_INVERSE),
    "forward": ({1: 1.0}, IN_FORWARD),
    "switching": ({1: 0.0, 20: 0.0, 21: 1.0}, IN_INVERSE | IN_FORWARD),
    "blending": ({1: 0.0, 15: 0.0, 26: 1.0}, IN_INVERSE | IN_FORWARD),
}


@pytest.mark.parametrize("kinematics", WALKS)
def test_a_rigify_human_is_moved_by_what_its_legs_follow(kinematics: str) -> None:
    in_forward, controls = WALKS[kinematics]
    keyed, missed_mm = written(rigify_walk(in_forward))
    assert keyed - TOES == controls
    assert missed_mm <= 1.0


def with_turned_feet(sampled: Sample) -> Clip:
    """Turn the feet by up to 12 degrees about no axis of theirs, the toes along, the body 3 % of the leg down."""
    clip, leg = sampled.clip, sampled.limbs[0].length(sampled.clip)
    axis = rotations.normalized(np.array([0.8, 0.2, 0.5]))
    turn = rotations.from_axis_angle(axis, np.radians(12.0) * np.sin(np.arange(len(sampled.frames)) * 0.25))
    local = clip.local_rotations.copy()
    for limb in sampled.limbs:
        above = rotations.inverse(clip.rotations[:, clip.skeleton.parents[limb.heel]])
        turned = rotations.multiply(turn, clip.rotations[:, limb.heel])
        local[:, limb.heel] = rotations.multiply(above, turned)
    feet = clip.moved(local, clip.local_locations)
    down = np.tile([0.0, 0.0, -0.03 * leg], (len(sampled.frames), 1, 1))
    rooted = displace_roots(clip, (sampled.limbs[0].root,), down)
    toes = clip.positions[:, [limb.toe for limb in sampled.limbs]] + np.array([0.0, 0.0, 0.01 * leg])
    return solve_limbs(rooted, sampled.limbs, toes, FlatGround(-9.0), feet=feet)


def roll(armature: bpy.types.Object) -> None:
    """Key the roll of the heels and the toes of a Rigify human, as an animator does."""
    for frame in (1, 20, 40):
        for side in "LR":
            armature.pose.bones[f"foot_heel_ik.{side}"].rotation_mode = "XYZ"
            key(armature.pose.bones[f"foot_heel_ik.{side}"], "rotation_euler", (0.01 * frame, 0.0, 0.0), frame)
            key(armature.pose.bones[f"toe_ik.{side}"], "rotation_quaternion", (1.0, 0.004 * frame, 0.0, 0.0), frame)


def rolled_walk() -> bpy.types.Object:
    armature = rigify_walk({1: 0.0})
    roll(armature)
    return armature


def mirrored_walk(in_forward: float) -> bpy.types.Object:
    armature = rigify_walk({1: in_forward})
    armature.scale.x *= -1.0
    armature.rotation_euler.z = 0.7
    bpy.context.view_layer.update()
    return armature


TURNED_RIGS: dict[str, Callable[[Path], bpy.types.Object]] = {
    "small": lambda data: small_control_rig(),
    "human": lambda data: open_shared(data, "human"),
    "kaiju": lambda data: open_shared(data, "kaiju"),
    "Rigify in inverse": lambda data: rigify_walk({1: 0.0}),
    "Rigify with a heel roll": lambda data: rolled_walk(),
    "Rigify in forward": lambda data: rigify_walk({1: 1.0}),
    "Rigify mirrored, in inverse": lambda data: mirrored_walk(0.0),
    "Rigify mirrored, in forward": lambda data: mirrored_walk(1.0),
    "Rigify switching": lambda data: rigify_walk({1: 0.0, 20: 0.0, 21: 1.0}),
    "Rigify blending": lambda data: rigify_walk({1: 0.0, 15: 0.0, 26: 1.0}),
}


@pytest.mark.parametrize("kind", TURNED_RIGS)
def test_feet_and_toes_point_where_they_are_to_on_every_frame(data: Path, kind: str) -> None:
    armature = TURNED_RIGS[kind](data)
    sampled = sample(armature, find_legs(armature))
    clip = with_turned_feet(sampled)
    before = curves(armature.animation_data.action)

    result, shown = write_as_animated(armature, sampled, clip, "Turned")

    for limb in sampled.limbs:
        away = np.linalg.norm(shown.positions[:, limb.toe] - clip.positions[:, limb.toe], axis=-1)
        assert away.max() <= 1e-3
        for joint in (limb.heel, limb.toe):
            turned = np.degrees(rotations.angle_between(clip.rotations[:, joint], sampled.clip.rotations[:, joint]))
            missed = np.degrees(rotations.angle_between(clip.rotations[:, joint], shown.rotations[:, joint]))
            assert turned.max() > 10.0
            assert missed.max() <= 0.5
    after = curves(result)
    assert all(after[channel] == keys for channel, keys in before.items() if "heel" in channel[1])


@pytest.mark.parametrize("kind", ["human", "kaiju"])
def test_cleaning_a_control_rig_stops_the_slide_that_is_seen(data: Path, kind: str) -> None:
    armature = open_shared(data, kind)
    before = curves(armature.animation_data.action)

    cleaned = journey.clean(armature, find_legs(armature), journey.Options())

    assert curves(cleaned.source) == before
    assert cleaned.before.slide_mm_s > 20.0
    assert cleaned.after.slide_mm_s < 1.0
    assert cleaned.after.unreached_mm < 1.0


def test_a_window_of_a_control_rig_is_cleaned_and_the_rest_stays(data: Path) -> None:
    armature = open_shared(data, "kaiju")
    limbs = find_legs(armature)
    whole = sample(armature, limbs)
    window = sample(armature, limbs, (20, 50))
    write_as_animated(armature, window, moved(window), "Moved")
    outside = (whole.frames < 20) | (whole.frames > 50)
    assert np.abs(joints_by_blender(armature, whole) - whole.clip.positions)[outside].max() <= 1e-5


CARRIED: dict[str, Callable[[Path], bpy.types.Object]] = {
    "human": lambda data: open_shared(data, "human"),
    "kaiju": lambda data: open_shared(data, "kaiju"),
    "Rigify": lambda data: rigify_walk({1: 0.0}),
}


@pytest.mark.parametrize("kind", CARRIED)
@pytest.mark.parametrize("way", ["OUT", "IN"])
def test_root_motion_carries_a_control_rig_as_it_is(data: Path, kind: str, way: Literal["IN", "OUT"]) -> None:
    armature = CARRIED[kind](data)
    limbs = find_legs(armature)
    sampled = sample(armature, limbs)
    before = curves(armature.animation_data.action)
    root, toes = sampled.limbs[0].root, [limb.toe for limb in sampled.limbs]

    moved_root = move_root(armature, limbs, RootMotionOptions(way=way, kind="VARYING"))

    assert curves(moved_root.source) == before
    seen = joints_by_blender(armature, sampled)
    turn = moved_root.turn_degrees
    carried = seen[:, toes] - seen[:, [root]]
    own = sampled.clip.positions[:, toes] - sampled.clip.positions[:, [root]]
    # The level distance of each foot from the body, and its height over it, whichever way the body looks by then.
    assert abs(turn) < 90.0
    level = [np.linalg.norm(each[..., :2], axis=-1) for each in (carried, own)]
    assert np.abs(level[0] - level[1]).max() <= 1e-3
    assert np.abs(carried - own)[..., 2].max() <= 1e-3
    travel = np.linalg.norm(seen[-1, root] - seen[0, root])
    assert (travel < 0.05) == (way == "OUT")


@pytest.mark.parametrize("kind", CARRIED)
def test_a_control_rig_is_brought_onto_a_slope(data: Path, kind: str) -> None:
    armature = CARRIED[kind](data)
    limbs = find_legs(armature)
    before = curves(armature.animation_data.action)
    slope = bpy.data.meshes.new("Slope")
    slope.from_pydata([(-9, -9, -0.9), (9, -9, -0.9), (9, 9, 0.9), (-9, 9, 0.9)], [], [(0, 1, 2, 3)])
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Slope", slope))
    bpy.context.view_layer.update()

    adapted = adapt(armature, limbs, journey.Options(ground_objects=("Slope",)))

    assert curves(adapted.source) == before
    assert adapted.after.unreached_mm < 1.0
    assert adapted.after.slide_mm_s < 5.0
    assert adapted.after.penetration_mm < 5.0


def test_searching_for_controls_leaves_the_pose_and_the_frame_as_they_were() -> None:
    armature = small_control_rig()
    bones = armature.pose.bones
    bones["target.L"].rotation_quaternion = (1.0, 0.1, 0.0, 0.0)
    bpy.context.scene.frame_set(7)
    poses = [np.array(bone.matrix_basis) for bone in bones]
    sampled = sample(armature, find_legs(armature))
    clip = moved(sampled)

    assert needs_controls(armature, sampled)
    controls = find_controls(armature, sampled, clip)

    assert [limb.target for limb in controls.limbs] == ["target.L", "target.R"]
    assert bpy.context.scene.frame_current == 7
    assert all(np.array_equal(pose, bone.matrix_basis) for pose, bone in zip(poses, bones, strict=True))


def test_feet_in_forward_kinematics_stay_where_they_are_when_the_body_is_moved() -> None:
    armature = rigify_walk({1: 1.0})
    sampled = sample(armature, find_legs(armature))
    down = np.tile([0.01, 0.0, -0.02], (len(sampled.frames), 1, 1))
    rooted = displace_roots(sampled.clip, (sampled.limbs[0].root,), down)
    toes = [limb.toe for limb in sampled.limbs]
    clip = solve_limbs(rooted, sampled.limbs, sampled.clip.positions[:, toes], FlatGround(-9.0))

    _, shown = write_as_animated(armature, sampled, clip, "Moved")

    assert np.abs(shown.positions - sampled.clip.positions)[:, toes].max() <= 1e-3
    assert np.abs(shown.positions - clip.positions)[:, sampled.limbs[0].root].max() <= 1e-3


def test_a_target_that_is_further_out_than_its_leg_is_brought_back() -> None:
    armature = small_control_rig()
    pose = armature.pose.bones
    for frame in range(1, 22, 4):
        pose["hips"].location = (0.0, 0.06, 0.0)
        pose["hips"].keyframe_insert("location", frame=frame)
    sampled = sample(armature, find_legs(armature))
    leg = sampled.limbs[0].length(sampled.clip)
    assert np.linalg.norm(np.diff(sampled.clip.positions[:, [0, sampled.limbs[0].heel]], axis=1), axis=-1).max() > leg
    down = np.tile([0.0, 0.0, -0.05], (len(sampled.frames), 1, 1))
    rooted = displace_roots(sampled.clip, (sampled.limbs[0].root,), down)
    toes = np.stack([sampled.clip.positions[:, limb.toe] + [0.0, 0.02, 0.0] for limb in sampled.limbs], axis=1)
    clip = solve_limbs(rooted, sampled.limbs, toes, FlatGround(-9.0))

    _, shown = write_as_animated(armature, sampled, clip, "Moved")

    toes = [limb.toe for limb in sampled.limbs]
    assert np.abs(shown.positions - clip.positions)[:, toes].max() <= 1e-3


def driven(armature: bpy.types.Object) -> None:
    armature.pose.bones["target.L"].driver_add("location")


def fixed(armature: bpy.types.Object) -> None:
    armature.pose.bones["target.L"].lock_location = (True, True, True)


def locked(armature: bpy.types.Object) -> None:
    for bag in armature.animation_data.action.layers[0].strips[0].channelbags:
        for curve in bag.fcurves:
            curve.lock = "target.L" in curve.data_path


@pytest.mark.parametrize(("how", "named"), [(driven, "thigh.L"), (fixed, "thigh.L"), (locked, "target.L")])
def test_a_leg_that_nothing_may_move_is_refused_with_its_bone_named(how: object, named: str) -> None:
    armature = small_control_rig()
    how(armature)
    source = armature.animation_data.action
    sampled = sample(armature, find_legs(armature))
    with pytest.raises(RigError, match=f'"{named}"'):
        write_as_animated(armature, sampled, moved(sampled), "Moved")
    assert armature.animation_data.action is source
    assert list(bpy.data.actions) == [source]
