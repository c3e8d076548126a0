# SPDX-License-Identifier: GPL-3.0-or-later
"""Root motion and adapting from buttons: what they say, what they refuse, and that one undo is enough."""

from __future__ import annotations

import math
import re

import bpy
import pytest

from support import grounds
from support.ground_objects import add_plate, add_stairs, add_terrain


def said(capfd: pytest.CaptureFixture[str]) -> str:
    return "\n".join(line for line in capfd.readouterr().out.splitlines() if re.match(r"(Info|Warning): ", line))


@pytest.mark.parametrize("mode", ["OBJECT", "POSE"])
def test_travel_is_taken_out_and_put_in_again_in_new_actions(
    walker: bpy.types.Object, mode: str, capfd: pytest.CaptureFixture[str]
) -> None:
    bpy.ops.object.mode_set(mode=mode)
    source = walker.animation_data.action
    assert bpy.ops.toehold.root_motion(way="OUT") == {"FINISHED"}
    in_place = walker.animation_data.action
    assert in_place not in (source, None)
    assert bpy.ops.toehold.root_motion(kind="VARYING", target="BONE", bone="Hips") == {"FINISHED"}
    assert walker.animation_data.action not in (source, in_place)
    told = re.search(r"Travels ([\d.]+) m, low feet (\d+) → ([\d.]+) mm/s", said(capfd))
    assert told
    # The walker slides on top of the 2.4 m that its feet go.
    assert float(told[1]) == pytest.approx(2.4, rel=0.05)
    assert float(told[3]) < 0.1 * float(told[2])


def test_a_missing_bone_is_refused_and_nothing_changes(walker: bpy.types.Object) -> None:
    actions = set(bpy.data.actions)
    with pytest.raises(RuntimeError, match='there is no bone "nobody"'):
        bpy.ops.toehold.root_motion(target="BONE", bone="nobody")
    assert set(bpy.data.actions) == actions


def test_adapting_needs_a_ground_and_says_so(walker: bpy.types.Object) -> None:
    with pytest.raises(RuntimeError, match="Choose a ground object"):
        bpy.ops.toehold.adapt_to_ground()


def test_cleaning_says_where_feet_stay_deep_in_the_ground_and_what_to_do(
    walker: bpy.types.Object, capfd: pytest.CaptureFixture[str]
) -> None:
    walker.toehold.ground.object = add_terrain(grounds.ramp(10.0))
    assert bpy.ops.toehold.clean() == {"FINISHED"}
    told = re.search(
        r"Warning: .*feet up to (\d+) mm deep in the ground objects: use Adapt to Ground first", said(capfd)
    )
    assert told
    # At its end the walk is 2.4 m on, 1.8 m of them on the ramp.
    assert 150 < int(told[1]) < 400
    assert bpy.ops.toehold.restore_source() == {"FINISHED"}
    assert bpy.ops.toehold.adapt_to_ground() == {"FINISHED"}
    assert bpy.ops.toehold.clean() == {"FINISHED"}
    assert "deep in the ground" not in said(capfd)


def test_a_walk_is_adapted_to_the_ground_object(walker: bpy.types.Object, capfd: pytest.CaptureFixture[str]) -> None:
    walker.toehold.ground.object = add_stairs(0.15)
    assert bpy.ops.toehold.adapt_to_ground() == {"FINISHED"}
    line = said(capfd)
    assert re.search(r"\d+ contacts on 2 feet on the ground, worst drift 0\.\d mm", line)
    assert "on the floor beside the ground objects" in line
    assert bpy.ops.toehold.clean() == {"FINISHED"}
    assert bpy.ops.toehold.restore_source() == {"FINISHED"}
    assert walker.animation_data.action.name.endswith("On Ground")


def test_a_stride_is_fitted_to_the_travel(walker: bpy.types.Object, capfd: pytest.CaptureFixture[str]) -> None:
    assert bpy.ops.toehold.root_motion(way="STRIDE") == {"FINISHED"}
    told = re.search(r"Body ([\d.]+) → ([\d.]+) times as fast as its feet, low feet (\d+) → ([\d.]+) mm/s", said(capfd))
    assert told
    # 200 mm/s more than the 1.09 m/s that the feet go.
    assert float(told[1]) == pytest.approx(1.0 + 0.2 * 1.1 / 1.2, abs=0.02)
    assert float(told[2]) == pytest.approx(1.0, abs=0.03)
    assert float(told[4]) < 0.3 * float(told[3])


@pytest.mark.parametrize("kind", ["CONSTANT", "VARYING"])
def test_a_timing_is_fitted_to_the_travel(
    walker: bpy.types.Object, kind: str, capfd: pytest.CaptureFixture[str]
) -> None:
    source = walker.animation_data.action
    before = tuple(source.frame_range)
    assert bpy.ops.toehold.root_motion(way="TIMING", kind=kind) == {"FINISHED"}
    told = re.search(
        r"Body ([\d.]+) → ([\d.]+) times as fast as its feet, (\d+) → (\d+) frames, low feet (\d+) → ([\d.]+) mm/s",
        said(capfd),
    )
    assert told
    assert float(told[2]) == pytest.approx(1.0, abs=0.02)
    assert int(told[4]) == pytest.approx(int(told[3]) / float(told[1]), abs=1.5)
    assert float(told[6]) < 0.05 * float(told[5])
    assert tuple(source.frame_range) == before
    assert bpy.ops.toehold.restore_source() == {"FINISHED"}
    assert walker.animation_data.action == source


def foot_pitches(armature: bpy.types.Object) -> list[float]:
    """Return how many degrees each foot points up or down, at the frames where it stands on the ramp."""
    scene, found = bpy.context.scene, []
    for frame, side in ((84, "Left"), (50, "Right")):
        scene.frame_set(frame)
        bone = armature.pose.bones[f"{side}Foot"]
        way = armature.matrix_world.to_3x3() @ (bone.tail - bone.head)
        found.append(math.degrees(math.atan2(way.z, math.hypot(way.x, way.y))))
    return found


def test_foot_pitch_is_the_armatures_unless_the_verb_is_told_another(walker: bpy.types.Object) -> None:
    level, source = foot_pitches(walker), walker.animation_data.action
    walker.toehold.ground.object = add_terrain(grounds.ramp(20.0, begin=0.0))
    for asked, settings_value, pitch in ((None, 1.0, 20.0), (None, 0.5, 10.0), (0.0, 1.0, 0.0)):
        walker.toehold.cleanup.foot_pitch = settings_value
        told = {} if asked is None else {"foot_pitch": asked}
        assert bpy.ops.toehold.adapt_to_ground(**told) == {"FINISHED"}
        assert foot_pitches(walker) == pytest.approx([before + pitch for before in level], abs=2.0)
        walker.animation_data.action = source


def test_clean_pitches_feet_that_adapt_has_left_level(walker: bpy.types.Object) -> None:
    level = foot_pitches(walker)
    walker.toehold.ground.object = add_terrain(grounds.ramp(20.0, begin=0.0))
    assert bpy.ops.toehold.adapt_to_ground(foot_pitch=0.0) == {"FINISHED"}
    assert foot_pitches(walker) == pytest.approx(level, abs=2.0)
    assert bpy.ops.toehold.clean() == {"FINISHED"}
    assert foot_pitches(walker) == pytest.approx([before + 20.0 for before in level], abs=2.0)
    # The result that is shown follows its slider.
    walker.toehold.cleanup.foot_pitch = 0.0
    assert foot_pitches(walker) == pytest.approx(level, abs=2.0)


def test_no_foot_jumps_onto_a_bridge_over_it_and_one_on_it_stays_there(walker: bpy.types.Object) -> None:
    stage = bpy.data.collections.new("Stage")
    bpy.context.scene.collection.children.link(stage)
    for name, height in (("Ground", 0.0), ("Shelf", 0.25), ("Bridge", 2.4)):
        plate = add_plate(name, half=9.0, height=height)
        bpy.context.scene.collection.objects.unlink(plate)
        stage.objects.link(plate)
    walker.toehold.ground.collection = stage
    source = walker.animation_data.action
    for lift in (0.0, 2.4):
        walker.animation_data.action = source
        walker.location.z = lift
        bpy.context.view_layer.update()
        assert bpy.ops.toehold.clean() == {"FINISHED"}
        for frame in range(1, 60, 4):
            bpy.context.scene.frame_set(frame)
            toe = (walker.matrix_world @ walker.pose.bones["LeftToeBase"].head).z
            assert -0.01 < toe - lift < 0.25
