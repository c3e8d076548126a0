# SPDX-License-Identifier: GPL-3.0-or-later
"""Through Blender's importer and back, only what was changed changes, and it arrives where it was put."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from support.clips import DATA
from toehold.files import bvh as bvh_files
from toehold.files.bvh_motion import to_clip
from toehold.files.bvh_patch import bone_names, patched_values, plain_text
from toehold.files.scenes import Choice, Source, open_file
from toehold.rig.common.wording import RigError
from toehold.rig.legs.limb_bones import LimbBones
from toehold.rig.sampling.sample import Sample, sample
from toehold.solver import rotations
from toehold.solver.clip import Clip, Skeleton

LEGS = tuple(
    LimbBones(side, "Hips", f"{side}UpLeg", f"{side}Leg", f"{side}Foot", f"{side}ToeBase") for side in ("Left", "Right")
)
SOME = (
    "cmu/cmu_12_01_walk.bvh",
    "contacts_truth/zoo_HC002D25_Turn.bvh",
    "contacts_truth/zoo_HC038A11_Straight.bvh",
    "deep-motion-editing/comp_video_1_raw.bvh",
    "pymo/AV_8Walk_Meredith_HVHA_Rep1.bvh",
)
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the real clips of ../shared/data are not here")


def opened(path: Path, unit: float | None = None) -> tuple[Source, Sample]:
    source = open_file(path, Choice(limbs=LEGS, metres_per_unit=unit))
    return source, sample(source.armature, LEGS)


def rows_of(source: Source, sampled: Sample) -> np.ndarray:
    return np.round(sampled.frames).astype(int) - source.first_frame


def disturbed(sampled: Sample) -> Clip:
    """The legs turned at random by up to 30 degrees and the pelvis moved by some cm, in every third frame."""
    generator = np.random.default_rng(7)
    clip, some = sampled.clip, slice(0, None, 3)
    turned, moved = clip.local_rotations.copy(), clip.local_locations.copy()
    count = len(turned[some])
    for limb in sampled.limbs:
        for joint in (limb.hip, limb.knee, limb.heel):
            axes = rotations.normalized(generator.normal(size=(count, 3)))
            turn = rotations.from_axis_angle(axes, generator.uniform(-0.5, 0.5, count))
            turned[some, joint] = rotations.multiply(turned[some, joint], turn)
    moved[some, sampled.limbs[0].root] += generator.normal(scale=0.03, size=(count, 3))
    return clip.moved(turned, moved)


@needs_data
@pytest.mark.parametrize("name", SOME)
def test_a_changed_clip_arrives_within_a_hundredth_of_a_millimetre(name: str, tmp_path: Path) -> None:
    source, sampled = opened(DATA / name)
    assert source.bvh is not None
    wanted = disturbed(sampled)
    rows = rows_of(source, sampled)
    values = patched_values(source.bvh, sampled.clip, wanted, sampled.bones, rows, source.metres_per_unit)
    out = tmp_path / "out.bvh"
    bvh_files.write(out, source.bvh, values)

    own = to_clip(bvh_files.read(out), source.metres_per_unit)
    joints = [own.skeleton.index(bone) for bone in sampled.bones if bone is not None]
    assert np.abs(own.positions[:, joints] - wanted.positions[:, : len(joints)]).max() < 1e-5
    _, again = opened(out, source.metres_per_unit)
    assert np.abs(again.clip.positions - wanted.positions).max() < 1e-5


@needs_data
def test_frames_and_joints_that_did_not_change_keep_their_numbers(tmp_path: Path) -> None:
    source, sampled = opened(DATA / SOME[0])
    assert source.bvh is not None
    rows = rows_of(source, sampled)
    same = patched_values(source.bvh, sampled.clip, sampled.clip, sampled.bones, rows, source.metres_per_unit)
    assert np.array_equal(same, source.bvh.values)
    values = patched_values(source.bvh, sampled.clip, disturbed(sampled), sampled.bones, rows, source.metres_per_unit)
    changed = values != source.bvh.values
    assert changed[::3].any(axis=1).all()
    assert not changed[1::3].any()
    legs = {"Hips", *(bone for leg in LEGS for bone in (leg.hip, leg.knee, leg.heel))}
    for name, first, channels in zip(source.bvh.names, source.bvh.first_channels, source.bvh.channels, strict=True):
        assert name in legs or not changed[:, first : first + len(channels)].any()


def test_channels_that_blender_would_misread_are_made_whole(tmp_path: Path) -> None:
    text = (
        "HIERARCHY\nROOT a b\n{\nOFFSET 0 1 0\nCHANNELS 3 Xposition Zposition Yrotation\n"
        "JOINT a_b\n{\nOFFSET 0 1 0\nCHANNELS 0\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n}\n"
        "MOTION\nFrames: 3\nFrame Time: 0.04\n1 2 90\n1 2 180\n1 2 270\n"
    )
    bvh = bvh_files.parse(text.encode(), "odd.bvh")
    assert bone_names(bvh) == ("a_b", "a_b.001", "a_b_end")
    plain = bvh_files.parse(plain_text(bvh).encode(), "plain.bvh")
    assert plain.channels[0] == ("Xposition", "Yposition", "Zposition", "Yrotation", "Xrotation", "Zrotation")
    assert plain.values[1].tolist() == [1, 1, 2, 180, 0, 0, 0, 0, 0]
    assert np.allclose(to_clip(plain, 1.0).positions, to_clip(bvh, 1.0).positions)


def test_toes_without_length_lie_level() -> None:
    text = (
        "HIERARCHY\nROOT foot\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\n"
        "JOINT toe\n{\nOFFSET 0 -5 13\nCHANNELS 3 Xrotation Yrotation Zrotation\nEnd Site\n{\nOFFSET 0 0 0\n}\n}\n}\n"
        "MOTION\nFrames: 1\nFrame Time: 0.04\n0 0 0 0 0 0\n"
    )
    plain = bvh_files.parse(plain_text(bvh_files.parse(text.encode(), "toe.bvh")).encode(), "plain.bvh")
    assert plain.offsets[2, 1] == 0.0
    assert plain.offsets[2, 2] > 1.0


def small_clip(turn: float, move: float) -> Clip:
    """One bone at the origin, turned about Z of the world and moved along it."""
    skeleton = Skeleton(("a",), (-1,), rotations.IDENTITY[None].copy(), np.zeros((1, 3)))
    turned = rotations.from_axis_angle(np.array([0.0, 0.0, 1.0]), np.array(turn))
    return Clip(skeleton, 25.0, turned[None, None], np.array([[[0.0, 0.0, move]]]))


def one_joint(channels: str, values: str) -> bvh_files.Bvh:
    text = f"HIERARCHY\nROOT a\n{{\nOFFSET 0 0 0\nCHANNELS {channels}\nEnd Site\n{{\nOFFSET 0 1 0\n}}\n}}\n"
    return bvh_files.parse(f"{text}MOTION\nFrames: 1\nFrame Time: 0.04\n{values}\n".encode(), "one.bvh")


def test_a_change_that_the_file_has_no_channel_for_is_refused() -> None:
    rows = np.array([0])
    still, moved, turned = small_clip(0.0, 0.0), small_clip(0.0, 0.1), small_clip(0.3, 0.0)
    with pytest.raises(RigError, match="has no position channels"):
        patched_values(one_joint("3 Zrotation Xrotation Yrotation", "0 0 0"), still, moved, ["a"], rows, 1.0)
    with pytest.raises(RigError, match="too few rotation channels"):
        patched_values(one_joint("1 Zrotation", "0"), still, turned, ["a"], rows, 1.0)
    # About the world's Z is about the file's Y, which this one has.
    values = patched_values(one_joint("1 Yrotation", "0"), still, turned, ["a"], rows, 1.0)
    assert np.radians(values[0, 0]) == pytest.approx(0.3)


@needs_data
def test_blenders_scene_plays_at_the_files_rate() -> None:
    source, _ = opened(DATA / SOME[0])
    render = bpy.context.scene.render
    assert render.fps / render.fps_base == pytest.approx(1.0 / 0.0083333, rel=1e-7)
    assert source.frame_rate == 1.0 / 0.0083333
