# SPDX-License-Identifier: GPL-3.0-or-later
"""Root motion is put on a bone or the object in a new action, and can be taken out again."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from support.rigs import import_gltf, play
from support.walker import limb_bones, walk
from support.walker_armature import walking_armature
from toehold.rig.common import versions
from toehold.rig.common.wording import RigError
from toehold.rig.curves import actions, keys
from toehold.rig.legs.find_legs import find_legs
from toehold.rig.sampling.sample import Sample, sample
from toehold.rig.verbs import journey
from toehold.rig.verbs.flip import restore_source
from toehold.rig.verbs.root_motion import RootMotionOptions, fit_timing, move_root
from toehold.rig.writing.carrier import AUTO, OBJECT
from toehold.solver import loops, stance
from toehold.solver.root_motion import Kind

TRAVEL = 2.0 * 1.2


def walker(**placing: object) -> bpy.types.Object:
    return walking_armature(walk(strides=2.0), **placing)


def travel(armature: bpy.types.Object) -> float:
    clip = sample(armature, limb_bones()).clip
    return float(np.linalg.norm((clip.positions[-1, 0] - clip.positions[0, 0])[:2]))


@pytest.mark.parametrize("target", [AUTO, "Hips", OBJECT])
@pytest.mark.parametrize("mode", ["XYZ", "QUATERNION", "AXIS_ANGLE"])
def test_travel_taken_out_is_found_again_by_the_feet(target: str, mode: str) -> None:
    armature = walker(scale=0.01, y_up=True)
    armature.rotation_mode = mode
    if mode == "XYZ":
        armature.rotation_euler[0] = np.pi / 2.0
    source = armature.animation_data.action
    out = move_root(armature, limb_bones(), RootMotionOptions("OUT", target=target))
    assert travel(armature) < 1e-4
    back = move_root(armature, limb_bones(), RootMotionOptions("IN", "TURNING", target=target))
    assert travel(armature) == pytest.approx(TRAVEL, rel=0.03)
    assert np.linalg.norm(back.travel) == pytest.approx(travel(armature), abs=1e-4)
    assert back.stance_speed_after < 0.05 * back.stance_speed_before
    assert (actions.source_of(out.result), actions.source_of(back.result)) == (source, out.result)


def test_a_result_is_cleaned_itself_and_not_its_source() -> None:
    armature = walking_armature(walk(strides=3.0, slide_mm_s=150.0))
    moved = move_root(armature, limb_bones(), RootMotionOptions())
    for _ in range(2):
        cleaned = journey.clean(armature, limb_bones(), journey.Options())
        assert cleaned.source == moved.result
    assert restore_source(armature) == moved.result
    assert restore_source(armature) == moved.source


def test_a_parented_turned_object_travels_along_the_world() -> None:
    armature = walker()
    parent = bpy.data.objects.new("Stage", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.rotation_euler, parent.scale, parent.location = (0.0, 0.0, 0.7), (2.0, 2.0, 2.0), (1.0, 2.0, 0.0)
    armature.parent = parent
    bpy.context.view_layer.update()
    before = sample(armature, limb_bones()).clip.positions
    move_root(armature, limb_bones(), RootMotionOptions("OUT", target=OBJECT))
    after = sample(armature, limb_bones()).clip.positions
    share = np.linspace(0.0, 1.0, len(before))[:, None, None]
    expected = before - share * ((before[-1, 0] - before[0, 0]) * [1.0, 1.0, 0.0])
    np.testing.assert_allclose(after, expected, atol=1e-4)


def test_a_bone_that_does_not_carry_all_feet_is_refused() -> None:
    armature = walker()
    names = {action.name for action in bpy.data.actions}
    for bone, reason in (("LeftUpLeg", "does not carry all feet"), ("nobody", "there is no bone")):
        with pytest.raises(RigError, match=reason):
            move_root(armature, limb_bones(), RootMotionOptions("OUT", target=bone))
    assert {action.name for action in bpy.data.actions} == names


LOOPS = [
    ("Med_MovementBasic", "Rig_Medium|Running_A"),
    ("Med_MovementBasic", "Rig_Medium|Running_B"),
    ("Med_MovementBasic", "Rig_Medium|Walking_A"),
    ("Med_MovementBasic", "Rig_Medium|Walking_B"),
    ("Med_MovementBasic", "Rig_Medium|Walking_C"),
    ("kaiju-animations", "Walk"),
    ("horse-animations", "Run"),
    ("Fox", "Run"),
    ("Horse", "AnimalArmature|Gallop"),
    ("Wolf", "AnimalArmature|Gallop"),
]

# Their feet go at different speeds at one time: by how much of it no root motion can help.
AT_ODDS = [
    ("Horse", "AnimalArmature|Walk"),
    ("Wolf", "AnimalArmature|Walk"),
    ("horse-animations", "Walk"),
    ("spider-animations", "Walk"),
    ("Fox", "Walk"),
]


@pytest.mark.parametrize(("file", "action"), [*LOOPS, *AT_ODDS])
def test_feet_stand_still_under_varying_root_motion_as_far_as_they_agree(data: Path, file: str, action: str) -> None:
    armature = import_gltf(data / "gltf" / f"{file}.glb")
    play(armature, bpy.data.actions[action])
    limbs = find_legs(armature)
    before = sample(armature, limbs)
    moved = move_root(armature, limbs, RootMotionOptions(kind="VARYING"))
    after = sample(armature, limbs)
    seconds = np.ptp(before.clip.frame_times) / before.clip.fps
    speed = np.linalg.norm(moved.travel) / seconds
    left = stance.stance_speed(after.clip, after.limbs, before.clip) / speed
    assert moved.disagreement is not None
    assert left == pytest.approx(moved.disagreement, abs=0.01)
    assert (left < 0.02) == ((file, action) in LOOPS)
    # Keys stay where the loop has its own, and it is one still.
    np.testing.assert_allclose(after.key_frames, before.key_frames, atol=1e-4)
    assert loops.find_loop(after.clip, after.limbs[0].root) is not None


def test_feet_that_hang_on_no_body_travel_with_the_object(data: Path) -> None:
    for file in ("Wolf", "Horse"):
        armature = import_gltf(data / "gltf" / f"{file}.glb")
        play(armature, bpy.data.actions["AnimalArmature|Gallop"])
        moved = move_root(armature, find_legs(armature), RootMotionOptions())
        assert moved.target == OBJECT
        assert moved.stance_speed_after < 0.2 * moved.stance_speed_before


def test_the_travel_of_a_control_rig_is_put_on_the_control_on_top(data: Path) -> None:
    bpy.ops.wm.open_mainfile(filepath=str(data / "blend" / "rig-human.blend"))
    with bpy.data.libraries.load(str(data / "blend" / "animation-human-run-anime.blend")) as (there, here):
        here.actions = there.actions
    armature = next(thing for thing in bpy.context.scene.objects if thing.type == "ARMATURE")
    play(armature, here.actions[0])
    limbs = find_legs(armature)
    moved = move_root(armature, limbs, RootMotionOptions())
    assert moved.target == "DRV_root"
    positions = sample(armature, limbs).clip.positions
    gone = positions[-1] - positions[0]
    # All that is seen goes along, in a loop that is closed to the millimetre.
    assert np.linalg.norm(gone - moved.travel, axis=-1).max() < 1e-3 * np.linalg.norm(moved.travel)


def test_a_walk_in_place_goes_as_far_as_its_twin(data: Path) -> None:
    armature = import_gltf(data / "gltf" / "kaiju-animations.glb")
    play(armature, bpy.data.actions["Walk"])
    limbs = find_legs(armature)
    constant = move_root(armature, limbs, RootMotionOptions())
    assert np.linalg.norm(constant.travel) == pytest.approx(1.5, rel=0.02)
    play(armature, bpy.data.actions["Walk"])
    varying = move_root(armature, limbs, RootMotionOptions(kind="VARYING"))
    assert varying.stance_speed_after < 0.02 * varying.stance_speed_before


def test_a_new_timing_takes_along_all_that_is_keyed_and_leaves_the_source_alone() -> None:
    armature = walking_armature(walk(strides=3.0, slide_mm_s=150.0))
    journey.annotate(armature, limb_bones(), journey.Options())
    source = armature.animation_data.action
    before = {curve.data_path: curve.range()[:] for curve in versions.assigned_channelbag(armature).fcurves}
    down = journey.measure(armature, limb_bones(), journey.Options()).contacts.toe_planted
    fitted = fit_timing(armature, limb_bones())
    ratio = (1.2 / 1.1 + 0.15) / (1.2 / 1.1)
    assert fitted.frames[1] == pytest.approx(fitted.frames[0] / ratio, abs=0.6)
    assert fitted.speed_ratios == (pytest.approx(ratio, rel=0.01), pytest.approx(1.0, abs=0.01))
    assert fitted.stance_speed_after < 0.02 * fitted.stance_speed_before
    assert actions.source_of(fitted.result) == source
    assert {curve.data_path: curve.range()[:] for curve in _curves_of(source, armature)} == before
    after = {curve.data_path: curve.range()[:] for curve in versions.assigned_channelbag(armature).fcurves}
    assert after.keys() == before.keys()
    ends = {path: (last - before[path][0]) / (before[path][1] - before[path][0]) for path, (_, last) in after.items()}
    assert all(end == pytest.approx(1.0 / ratio, rel=0.02) for end in ends.values())
    # The contacts have come along: each is as long a share of the clip as it was.
    now = journey.measure(armature, limb_bones(), journey.Options()).contacts.toe_planted
    np.testing.assert_allclose(now.mean(axis=0), down.mean(axis=0), atol=0.02)
    cleaned = journey.clean(armature, limb_bones(), journey.Options())
    assert cleaned.source == fitted.result
    assert cleaned.after.slide_mm_s < 1.0


def test_what_does_not_travel_or_is_shaped_by_modifiers_gets_no_new_timing() -> None:
    armature = walker()
    move_root(armature, limb_bones(), RootMotionOptions("OUT"))
    names = {action.name for action in bpy.data.actions}
    with pytest.raises(RigError, match="does not travel"):
        fit_timing(armature, limb_bones())
    armature = walker()
    curve = versions.assigned_channelbag(armature).fcurves[0]
    curve.modifiers.new("NOISE")
    with pytest.raises(RigError, match="bake it first"):
        fit_timing(armature, limb_bones())
    assert len({action.name for action in bpy.data.actions} - names) == 1


def _curves_of(action: bpy.types.Action, armature: bpy.types.Object) -> list[bpy.types.FCurve]:
    channelbag = versions.channelbag_of(action, action.slots[armature.animation_data.action_slot.identifier])
    assert channelbag is not None
    return list(channelbag.fcurves)


@pytest.mark.parametrize(
    ("file", "action", "opens_by"),
    [
        ("Med_MovementBasic", "Rig_Medium|Walking_A", 2e-4),
        ("Med_MovementBasic", "Rig_Medium|Walking_C", 2e-4),
        ("Fox", "Walk", 2e-4),
        ("Horse", "AnimalArmature|Walk", 2e-4),
        # Its last pose is not the first one again, but a step before it.
        ("kaiju-animations", "Walk", 1e-2),
    ],
)
@pytest.mark.parametrize("kind", ["CONSTANT", "VARYING"])
def test_a_loop_with_root_motion_is_cleaned_to_a_standstill_and_stays_a_loop(
    data: Path, file: str, action: str, opens_by: float, kind: Kind
) -> None:
    armature = import_gltf(data / "gltf" / f"{file}.glb")
    play(armature, bpy.data.actions[action])
    limbs = find_legs(armature)
    before = sample(armature, limbs)
    scale = before.limbs[0].scale(before.clip)
    move_root(armature, limbs, RootMotionOptions(kind=kind))
    cleaned = journey.clean(armature, limbs, journey.Options())
    # Metres, of a loop of a fox of centimetres too, as for a 0.9 m leg.
    assert cleaned.after.slide_mm_s < 2.0 * scale
    after = sample(armature, limbs)
    assert loops.find_loop(after.clip, after.limbs[0].root) is not None
    assert _gap_m(after) < _gap_m(before) + opens_by * scale
    np.testing.assert_array_equal(cleaned.contacts.toe_planted[0], cleaned.contacts.toe_planted[-1])


def _gap_m(motion: Sample) -> float:
    """Return how far the last pose is from the first, the worst joint, apart from the travel."""
    body = motion.clip.positions[:, [motion.limbs[0].root]] * np.array([1.0, 1.0, 0.0])
    posture = motion.clip.positions - body
    return float(np.linalg.norm(posture[-1] - posture[0], axis=-1).max())


@pytest.mark.parametrize("target", ["Hips", OBJECT])
def test_a_cyclic_action_stays_cyclic_and_travels_on_from_cycle_to_cycle(target: str) -> None:
    armature = walking_armature(walk(strides=1.0, fps=60.0))
    move_root(armature, limb_bones(), RootMotionOptions("OUT"))
    for curve in versions.assigned_channelbag(armature).fcurves:
        curve.modifiers.new("CYCLES")
    moved = move_root(armature, limb_bones(), RootMotionOptions(target=target))
    cleaned = journey.clean(armature, limb_bones(), journey.Options())
    curves = versions.assigned_channelbag(armature).fcurves
    moving = [curve for curve in curves if curve.data_path.endswith(("location", "rotation_quaternion"))]
    assert all([modifier.type for modifier in curve.modifiers] == ["CYCLES"] for curve in moving)
    period = moved.frames[1]
    first = float(cleaned.sample.frames[0])

    def root_at(frame: float) -> np.ndarray:
        bpy.context.scene.frame_set(int(frame))
        return np.array((armature.matrix_world @ armature.pose.bones["Hips"].matrix).translation)

    # One and two cycles later it is where the travel has brought it.
    for laps in (1, 2):
        gone = root_at(first + 20 + laps * period) - root_at(first + 20)
        np.testing.assert_allclose(gone, laps * moved.travel, atol=0.005)


def test_a_cycle_that_lasts_no_whole_number_of_frames_lasts_as_long_when_it_is_cleaned() -> None:
    armature = walking_armature(walk(strides=1.0, fps=60.0, slide_mm_s=150.0))
    curves = versions.assigned_channelbag(armature).fcurves
    for curve in curves:
        # 60 frames a second in a scene of other frames.
        keys.retime(curve, lambda frames: 0.8 + 0.97 * (frames - 1.0))
        curve.modifiers.new("CYCLES")
    before = {curve.data_path: tuple(curve.range()) for curve in curves}
    journey.clean(armature, limb_bones(), journey.Options())
    after = {curve.data_path: tuple(curve.range()) for curve in versions.assigned_channelbag(armature).fcurves}
    for path, span in before.items():
        assert after[path] == pytest.approx(span, abs=1e-3), path
