# SPDX-License-Identifier: GPL-3.0-or-later
"""A leg with a hock: what leans keeps its lean, reach is shared, no joint flips, and nothing set up changes nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toehold.solver import rotations
from toehold.solver.arrays import FloatArray
from toehold.solver.clip import Clip, Skeleton
from toehold.solver.ground import FlatGround
from toehold.solver.limb import Limb, hock_side_axis, in_stance, solve_limbs
from toehold.solver.three_segments import LowerLeg

GROUND = FlatGround(-9.0)
ANY_FLOAT = st.floats(-2.0, 2.0) | st.sampled_from([0.0, -0.0, 5e-324, -1e-310, 1e-200, 1e-12, 1e-7, 1.0, -1.0])
ANY_POINT = st.tuples(ANY_FLOAT, ANY_FLOAT, ANY_FLOAT)

# A dog's hind leg: the knee in front of the line from hip to toe (-Y is ahead), the hock behind it.
DOG = np.array([[0, 0, 0.74], [0, 0, 0], [0, -0.07, -0.27], [0, 0.21, -0.22], [0, -0.07, -0.21], [0, -0.09, -0.04]])


def _leg(offsets: FloatArray) -> tuple[Clip, Limb]:
    """Return a leg of joints (F, 6, 3) each in the frame of the one above: root, hip, knee, hock, toe and tip."""
    names = ("root", "hip", "knee", "hock", "toe", "tip")
    at_rest = np.tile(rotations.IDENTITY, (6, 1))
    skeleton = Skeleton(names, (-1, 0, 1, 2, 3, 4), at_rest, offsets[0])
    clip = Clip(skeleton, 30.0, np.tile(at_rest, (len(offsets), 1, 1)), offsets)
    return clip, Limb("leg", 0, 1, 2, 4, 4, 5, hock=3)


def _dog(frames: int) -> tuple[Clip, Limb]:
    return _leg(np.tile(DOG, (frames, 1, 1)))


def _solved(clip: Clip, limb: Limb, moved: FloatArray) -> Clip:
    """Return the clip with its toe moved by (F, 3)."""
    return solve_limbs(clip, (limb,), (clip.positions[:, limb.toe] + moved)[:, None], GROUND)


def _bends(clip: Clip, limb: Limb) -> FloatArray:
    """Return (F, 2) degrees that knee and hock are bent by, seen from the side (+X), above 0 the way of the dog's."""
    places = clip.positions[:, list(limb.joints)]
    ways = np.diff(places, axis=1)
    angles = np.arctan2(ways[..., 1], -ways[..., 2])
    turned = np.degrees(np.diff(angles, axis=1)) * np.array([1.0, -1.0])
    return np.asarray(np.remainder(turned + 180.0, 360.0) - 180.0)


def _lean(clip: Clip, limb: Limb) -> FloatArray:
    """Return (F,) degrees that the lowest segment leans from upright, above 0 with the hock behind."""
    assert limb.hock is not None
    up = clip.positions[:, limb.hock] - clip.positions[:, limb.heel]
    return np.degrees(np.arctan2(up[:, 1], up[:, 2]))


def _extension(clip: Clip, limb: Limb) -> FloatArray:
    """Return (F,) the distance from knee to heel as a share of shin and lowest segment."""
    knee, hock, heel = (clip.positions[:, joint] for joint in limb.joints[1:])
    parts = np.linalg.norm(hock - knee, axis=-1) + np.linalg.norm(heel - hock, axis=-1)
    return np.asarray(np.linalg.norm(heel - knee, axis=-1) / parts)


@settings(deadline=None, max_examples=300)
@given(
    points=st.tuples(ANY_POINT, ANY_POINT, ANY_POINT, ANY_POINT), target=ANY_POINT, share=st.sampled_from([0.0, 1.0])
)
def test_no_leg_and_no_target_gives_nan(
    points: tuple[tuple[float, ...], ...], target: tuple[float, ...], share: float
) -> None:
    """Zero-length bones, straight and folded legs, a target on the hip, everything on one line, denormals."""
    offsets = np.zeros((2, 6, 3))
    offsets[:, 2:] = points
    clip, limb = _leg(offsets)
    shape = LowerLeg(lean_share=share, stance_lean=0.3, extension_share=share, stance_extension=0.9)
    limbs = in_stance([Limb("leg", 0, 1, 2, 4, 4, 5, hock=3, lower_leg=shape)], np.array([[0.0], [1.0]]))
    solved = solve_limbs(clip, limbs, np.array([[target], [target]]), GROUND)
    assert np.isfinite(solved.local_rotations).all()
    np.testing.assert_allclose(np.linalg.norm(solved.local_rotations, axis=-1), 1.0, atol=1e-9)
    # A hock that is folded back onto its hip has no direction to be brought back along.
    apart = np.linalg.norm(np.add(points[0], points[1]))
    if share == 0.0 and np.linalg.norm(points, axis=-1).min() > 1e-3 and apart > 1e-3:
        same = _solved(clip, limb, np.zeros((2, 3)))
        # Angles of a leg that is straight to a hair have half the digits: a tenth of a millimetre.
        assert np.abs(same.positions - clip.positions).max() < 1e-4


@settings(deadline=None, max_examples=100)
@given(seed=st.integers(0, 10**6))
def test_a_target_equal_to_the_input_gives_the_input_pose(seed: int) -> None:
    """Legs bent any way, straight and backwards ones too."""
    random = np.random.default_rng(seed)
    offsets = np.tile(DOG, (20, 1, 1))
    offsets[:, 2:5] += 0.15 * random.normal(size=(20, 3, 3))
    clip, limb = _leg(offsets)
    solved = _solved(clip, limb, np.zeros((20, 3)))
    assert np.abs(rotations.angle_between(clip.local_rotations, solved.local_rotations)).max() < 1e-6
    assert np.abs(clip.positions - solved.positions).max() < 1e-6


def test_a_target_in_reach_is_met_and_the_foot_keeps_its_way() -> None:
    random = np.random.default_rng(2)
    clip, limb = _dog(200)
    moved = random.uniform(-0.05, 0.05, (200, 3)) + [0.0, 0.0, 0.05]
    solved = _solved(clip, limb, moved)
    assert np.abs(solved.positions[:, 4] - clip.positions[:, 4] - moved).max() < 1e-6
    np.testing.assert_allclose(solved.rotations[:, 4], clip.rotations[:, 4], atol=1e-9)
    lengths = [np.linalg.norm(np.diff(one.positions[:, 1:], axis=1), axis=-1) for one in (clip, solved)]
    np.testing.assert_allclose(lengths[0], lengths[1], atol=1e-9)


def test_lean_and_hock_give_way_alike() -> None:
    """The toe is raised by 10 cm: either alone would give way by twice as much as both do."""
    clip, limb = _dog(1)
    up = np.array([[0.0, 0.0, 0.1]])
    lean, extension = float(np.radians(_lean(clip, limb)[0])), float(_extension(clip, limb)[0])
    changes = []
    for shape in (
        LowerLeg(lean_share=1.0, stance_lean=lean),
        LowerLeg(),
        LowerLeg(extension_share=1.0, stance_extension=extension),
    ):
        shaped = Limb("leg", 0, 1, 2, 4, 4, 5, hock=3, lower_leg=shape)
        solved = _solved(clip, in_stance([shaped], np.ones((1, 1)))[0], up)
        changes.append([float((_lean(solved, limb) - _lean(clip, limb))[0]), float(_bends(solved, limb)[0, 1])])
    (no_lean, most_bend), (half_lean, half_bend), (most_lean, no_bend) = changes
    assert (no_lean, no_bend) == pytest.approx((0.0, float(_bends(clip, limb)[0, 1])), abs=1e-6)
    assert half_lean == pytest.approx(0.5 * most_lean, rel=0.01)
    assert half_bend - no_bend == pytest.approx(0.5 * (most_bend - no_bend), rel=0.3)
    assert min(abs(most_lean), most_bend - no_bend) > 8.0


def test_where_hip_and_knee_cannot_reach_the_hock_opens_and_slows_down_before_the_leg_is_straight() -> None:
    """The toe is pulled down by 20 cm in steps of half a millimetre; the leg is 10 cm from straight."""
    clip, limb = _dog(400)
    down = np.linspace(0.0, 0.2, 400)
    solved = _solved(clip, limb, down[:, None] * np.array([0.0, 0.0, -1.0]))
    missed = np.linalg.norm(solved.positions[:, 4] - clip.positions[:, 4] + down[:, None] * [0.0, 0.0, 1.0], axis=-1)
    full = float(limb.full_reach(clip)[0])
    in_reach = (
        np.linalg.norm(clip.positions[:, 4] - [0.0, 0.0, 0.74] - down[:, None] * [0, 0, 1], axis=-1) < full - 0.005
    )
    assert in_reach.sum() > 180
    assert missed[in_reach].max() < 1e-6
    bends = _bends(solved, limb)
    assert bends.min() > -1e-6
    assert bends[-1].max() < 5.0
    # Half a millimetre never turns a joint by more than 2.5 degrees, and never by much more than the one before did.
    steps = np.diff(bends, axis=0)
    assert np.abs(steps).max() < 2.5
    assert np.abs(np.diff(steps, axis=0)).max() < 0.7
    assert np.linalg.norm(solved.positions[:, 4] - solved.positions[:, 1], axis=-1).max() <= full + 1e-9


@settings(deadline=None, max_examples=200)
@given(seed=st.integers(0, 10**6), along=st.floats(-0.5, 0.5), up=st.floats(-0.4, 0.6))
def test_no_joint_bends_backwards_wherever_the_toe_goes(seed: int, along: float, up: float) -> None:
    random = np.random.default_rng(seed)
    offsets = np.tile(DOG, (40, 1, 1))
    for joint in (2, 3, 4):
        turned = rotations.from_axis_angle(np.array([1.0, 0.0, 0.0]), random.uniform(-0.3, 0.3))
        offsets[:, joint] = rotations.rotate(turned, offsets[:, joint])
    clip, limb = _leg(offsets)
    moved = np.linspace(0.0, 1.0, 40)[:, None] * np.array([0.0, along, up])
    bends = _bends(_solved(clip, limb, moved), limb)
    least = np.minimum(_bends(clip, limb), 0.0)
    # A knee that is folded as far as it goes has come to half a turn, whichever sign that has.
    assert (np.where(bends < -179.0, 180.0, bends) - least).min() > -1.0


@pytest.mark.parametrize("bend_deg", [-4.0, 0.0, 3.0])
def test_a_hock_that_is_nearly_straight_does_not_pop_to_the_other_side(bend_deg: float) -> None:
    """As a horse's knee in stance: the leg is shortened by 4 cm, half a millimetre at a time."""
    bend = rotations.from_axis_angle(np.array([1.0, 0.0, 0.0]), np.radians(bend_deg))
    offsets = np.tile(DOG, (80, 1, 1))
    offsets[:, 2], offsets[:, 3] = [0.0, 0.16, -0.24], [0.0, -0.02, -0.35]
    offsets[:, 4] = rotations.rotate(bend, 0.7 * offsets[:, 3])
    rest = DOG.copy()
    rest[2:5] = [[0.0, 0.16, -0.24], [0.0, -0.06, -0.34], [0.0, 0.06, -0.23]]
    clip, limb = _leg(np.concatenate([rest[None], offsets]))
    clip = clip.during(slice(1, None))
    up = np.linspace(0.0, 0.04, 80)[:, None] * np.array([0.0, 0.0, 1.0])
    solved = _solved(clip, limb, up)
    assert np.abs(solved.positions[:, 4] - clip.positions[:, 4] - up).max() < 1e-6
    ways = np.diff(solved.positions[:, [2, 3, 4]], axis=1)
    side = rotations.rotate(clip.rotations[:, 3], hock_side_axis(clip, limb)[None])
    sine = np.sum(rotations.cross(ways[:, 0], ways[:, 1]) * side, axis=-1) / (0.35 * 0.245)
    assert sine.min() > min(np.sin(np.radians(bend_deg)), 0.0) - np.sin(np.radians(1.0))
    assert np.abs(np.diff(_bends(solved, limb), axis=0)).max() < 1.5


def test_the_side_that_a_hock_bends_to_comes_from_the_rest_pose() -> None:
    clip, limb = _dog(5)
    np.testing.assert_allclose(hock_side_axis(clip, limb), [-1.0, 0.0, 0.0], atol=1e-9)
    straight = np.tile(DOG, (5, 1, 1))
    straight[:, 4] = straight[:, 3]
    clip, limb = _leg(straight)
    np.testing.assert_allclose(hock_side_axis(clip, limb), [-1.0, 0.0, 0.0], atol=1e-9)


def test_lean_and_extension_can_be_set_for_stance_and_swing() -> None:
    clip, limb = _dog(3)
    stance = np.array([[0.0], [0.5], [1.0]])
    leaning = LowerLeg(lean_share=1.0, stance_lean=np.radians(20.0), swing_lean=np.radians(40.0))
    open_hock = LowerLeg(extension_share=1.0, stance_extension=0.95, swing_extension=0.85)
    for shape, figure, wanted in (
        (leaning, _lean, [40.0, 30.0, 20.0]),
        (open_hock, _extension, [0.85, 0.9, 0.95]),
    ):
        shaped = Limb("leg", 0, 1, 2, 4, 4, 5, hock=3, lower_leg=shape)
        solved = _solved(clip, in_stance([shaped], stance)[0], np.zeros((3, 3)))
        np.testing.assert_allclose(figure(solved, limb), wanted, atol=1e-6)
        np.testing.assert_allclose(solved.positions[:, 4], clip.positions[:, 4], atol=1e-9)
        half = _solved(clip, in_stance([shaped], stance, strength=0.5)[0], np.zeros((3, 3)))
        assert np.all(np.abs(figure(half, limb) - figure(clip, limb)) < np.abs(np.array(wanted) - figure(clip, limb)))
        # Without contacts the animation's own pose stays.
        assert np.abs(_solved(clip, shaped, np.zeros((3, 3))).positions - clip.positions).max() < 1e-6
