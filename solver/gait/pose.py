# SPDX-License-Identifier: GPL-3.0-or-later
"""From a solved stride to the whole skeleton, frame by frame of the file.

The trunk goes and turns as the rigid body did, the legs are bent by ``solve_limbs`` to their feet, and then the root
is moved until the centre of mass of all bones lies where the plan has it: what the rigid body leaves out (legs that
swing) would else show as accelerations of up to a g that no force explains (LOCOMOTION 0.9).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .. import rotations, signals
from ..clip import Clip
from ..contacts import Contacts
from ..ground import FlatGround, Ground
from ..limb import Limb, LimbSettings, solve_limbs
from ..rotations import FloatArray
from ..signals import BoolArray
from .plan import MotionPlan, travelled
from .secondary import follow, parts_of, rhythm_of
from .solve import GaitSolution
from .swing import foot_paths
from .template import Template

# Passes that bring the centre of mass home; each leaves about the legs' share of the one before.
_PASSES = 12
_HOME_M = 1e-7
_SOFTENING = 0.0005
# Passes in which a body follows a foot out of its reach, how far each time, and metres that are no lack.
_SETTLED, _REACHED, _MISSED_M = 14, 3.0, 2e-5


@dataclass(frozen=True)
class PosedGait:
    """A gait on the whole skeleton. clip : F frames, cycles and one frame more. contacts : (F, L).

    forces : (F, L, 3) body weights in the world, what the accelerations between frames amount to.
    com : (F, 3) metres in the world as planned; missed : metres that the real one is off at most.
    """

    clip: Clip
    contacts: Contacts
    forces: FloatArray
    com: FloatArray
    missed: float
    unreached: float


@dataclass(frozen=True)
class Frames:
    """A motion in the file's frames, in the world: metres, world axes; N frames. Turns are of the body as it stands.

    com (N, 3), turn (N, 4) of the trunk. toes, heels (N, L, 3). flat (N, L, 4) : turns of feet that lie flat.
    pitch (N, L) : of the feet, heel up positive. standing (N, L) : where a toe has to be where it is.
    """

    com: FloatArray
    turn: FloatArray
    toes: FloatArray
    heels: FloatArray
    flat: FloatArray
    pitch: FloatArray
    standing: BoolArray


def centre_of_mass(clip: Clip, masses: FloatArray, coms: FloatArray) -> FloatArray:
    """Return (F, 3) metres in the world, of bodies (J,) with centres (J, 3) in their joints' frames."""
    heavy = masses > 0.0
    centres = clip.positions[:, heavy] + rotations.rotate(clip.rotations[:, heavy], coms[heavy])
    return np.asarray((masses[heavy, None] * centres).sum(axis=1) / masses.sum())


def pose_gait(
    solution: GaitSolution, stand: Clip, limbs: Sequence[Limb], cycles: int = 1, in_place: bool = False
) -> PosedGait:
    """Return the stride on the skeleton that stands as in the first frame of ``stand``, ``cycles`` times."""
    plan = solution.plan
    stride, heading = _in_world(solution)
    clip, unreached = _posed(stride, heading, solution, stand, limbs)
    missed = float(np.abs(_mass_at(clip, plan) - stride.com).max())
    count = plan.period_frames * cycles + 1
    whole = _repeated(clip, plan, count, in_place=in_place)
    at = np.arange(count) % plan.period_frames
    toe, heel = _planted(plan)
    touching = plan.contact[:: plan.substeps][at]
    contacts = Contacts(toe[at].astype(np.float64), heel[at].astype(np.float64), touching)
    forces = _forces(solution, count)
    return PosedGait(whole, contacts, forces, centre_of_mass(whole, *_bodies(plan)), missed, unreached)


def _bodies(plan: MotionPlan) -> tuple[FloatArray, FloatArray]:
    return plan.template.masses, plan.template.coms


def _mass_at(clip: Clip, plan: MotionPlan) -> FloatArray:
    return centre_of_mass(clip, *_bodies(plan))


def _headings(plan: MotionPlan, count: int) -> tuple[FloatArray, FloatArray]:
    """Return way (count, 3) in metres from the start, body axes, and heading (count,) of the file's frames."""
    time: FloatArray = np.arange(count, dtype=np.float64) * (plan.dt * plan.substeps)
    way = np.zeros((count, 3))
    way[:, :2] = travelled(plan.velocity, plan.omega, time) * plan.template.height
    return way, plan.omega * time


def _in_world(solution: GaitSolution) -> tuple[Frames, FloatArray]:
    """Return a stride's frames, and the turns (N, 4) of the world that its heading is."""
    plan = solution.plan
    body = plan.template
    step = slice(None, None, plan.substeps)
    toes, heels = foot_paths(solution)
    way, heading = _headings(plan, plan.period_frames)
    base = rotations.from_matrices(body.axes)
    upright = rotations.from_axis_angle(np.array([0.0, 0.0, 1.0]), heading)
    frame = rotations.multiply(base, upright)

    def world(places: FloatArray) -> FloatArray:
        around = frame.reshape(-1, *([1] * (places.ndim - 2)), 4)
        start = (body.origin + way @ body.axes.T).reshape(-1, *([1] * (places.ndim - 2)), 3)
        return start + rotations.rotate(np.broadcast_to(around, (*places.shape[:-1], 4)), places * body.height)

    # Turns of the world: the body stands unturned at the start, whatever way it faces.
    def turned(own: FloatArray) -> FloatArray:
        return rotations.multiply(rotations.multiply(frame, own), rotations.inverse(base))

    trunk = turned(rotations.from_vector(solution.state.turned[step]))
    level = turned(np.broadcast_to(rotations.IDENTITY, frame.shape))
    yaw = rotations.from_axis_angle(np.array([0.0, 0.0, 1.0]), plan.yaw[step])
    flat = rotations.multiply(level[:, None], yaw)
    frames = Frames(
        world(solution.com[step]), trunk, world(toes[step]), world(heels[step]), flat, plan.pitch[step],
        _planted(plan)[0],
    )  # fmt: skip
    return frames, level


def _posed(
    stride: Frames, heading: FloatArray, solution: GaitSolution, stand: Clip, limbs: Sequence[Limb]
) -> tuple[Clip, float]:
    """Return one stride (N frames) of the skeleton, and how many metres its standing toes are off at most."""
    plan = solution.plan
    lean = solution.state.turned[:: plan.substeps]
    parts = parts_of(stand.during(slice(0, 1)), limbs, plan.template.axes)
    rhythm = rhythm_of(plan, lean, heading, parts)
    ground = FlatGround(float(plan.template.origin[2]))
    return posed_by(
        stride, plan.template, stand, limbs, ground, lambda clip: follow(clip, rhythm, lean - lean.mean(axis=0), parts)
    )


def posed_by(
    frames: Frames,
    body: Template,
    stand: Clip,
    limbs: Sequence[Limb],
    ground: Ground,
    freely: Callable[[Clip], Clip],
    home: float = _HOME_M,
    settling: float = 0.0,
) -> tuple[Clip, float]:
    """Return the skeleton (N frames) that goes as ``frames`` say, and how many metres standing toes are off at most.

    freely : what turns the parts that carry nothing. home : metres that the centre of mass may be off.
    settling : where a foot is out of reach once it is home, the body follows it, over so many frames; 0 for not at all.
    """
    count = len(frames.com)
    rest = stand.during(slice(0, 1))
    turned = np.repeat(rest.local_rotations, count, axis=0)
    located = np.repeat(rest.local_locations, count, axis=0)
    roots = [joint for joint, parent in enumerate(stand.skeleton.parents) if parent < 0]
    middle = body.origin + np.array([0.0, 0.0, body.com_height * body.height])
    for root in roots:
        turned[:, root] = rotations.multiply(frames.turn, turned[:, root])
        located[:, root] = frames.com + rotations.rotate(frames.turn, located[:, root] - middle)
    turned = freely(rest.moved(turned, located)).local_rotations
    settings = LimbSettings(softening=_SOFTENING, leave_sunk_toe_end=False)
    for _ in range(_PASSES):
        trunk = rest.moved(turned, located)
        feet = _feet(trunk, rest, limbs, frames, body.axes)
        clip = solve_limbs(trunk, limbs, frames.toes, ground, settings, feet, frames.heels)
        off = frames.com - centre_of_mass(clip, body.masses, body.coms)
        if np.abs(off).max() < home:
            break
        for root in roots:
            located[:, root] += off
    joints = [limb.toe for limb in limbs]
    for left in range(_SETTLED, -1, -1):
        short = (frames.toes - clip.positions[:, joints]) * frames.standing[..., None]
        missed = float(np.linalg.norm(short, axis=-1).max(initial=0.0))
        if settling <= 0.0 or missed < _MISSED_M or not left:
            break
        # Smoothed it is less where it is most: the next passes bring the rest.
        pull = signals.smoothed(_REACHED * short.sum(axis=1), settling)
        for root in roots:
            located[:, root] += pull
        trunk = rest.moved(turned, located)
        feet = _feet(trunk, rest, limbs, frames, body.axes)
        clip = solve_limbs(trunk, limbs, frames.toes, ground, settings, feet, frames.heels)
    return clip, missed


def _feet(trunk: Clip, rest: Clip, limbs: Sequence[Limb], frames: Frames, axes: FloatArray) -> Clip:
    """Return the clip with its feet as they stood, turned with the ground and rolled by their pitch."""
    wanted: dict[int, FloatArray] = {}
    for at, limb in enumerate(limbs):
        roll = rotations.from_axis_angle(axes[:, 1], frames.pitch[:, at])
        toes_up = rotations.from_axis_angle(axes[:, 1], np.minimum(frames.pitch[:, at], 0.0))
        parts = [(limb.heel, roll)] + ([(limb.toe, toes_up)] if limb.toe_end is not None else [])
        if limb.hock is not None:
            parts.insert(0, (limb.hock, rotations.IDENTITY))
        wanted |= {
            joint: rotations.multiply(rotations.multiply(frames.flat[:, at], own), rest.rotations[:, joint])
            for joint, own in parts
        }
    return trunk.with_world(wanted)


def _planted(plan: MotionPlan) -> tuple[BoolArray, BoolArray]:
    """Return where toe and heel stand still (N, L): the toe while the heel rises or is down, the heel until it does."""
    step = slice(None, None, plan.substeps)
    contact, pitch = plan.contact[step], plan.pitch[step]
    rolls = np.abs(plan.pitch).max(axis=0) > 1e-9
    still = 1e-9
    return contact & (pitch >= -still), contact & (pitch <= still) & rolls


def _repeated(clip: Clip, plan: MotionPlan, count: int, *, in_place: bool) -> Clip:
    """Return ``count`` frames of the stride, each lap begun where the one before has ended."""
    frames = plan.period_frames
    body = plan.template
    lap, at = np.divmod(np.arange(count), frames)
    way, heading = _headings(plan, count)
    base = way[at], heading[at]
    turned, located = clip.local_rotations[at].copy(), clip.local_locations[at].copy()
    up = np.array([0.0, 0.0, 1.0])
    onward = rotations.from_axis_angle(up, heading[lap * frames])
    along = way[lap * frames]
    if in_place:
        # Back to where the stride began, in the frame that goes along.
        onward = rotations.from_axis_angle(up, -base[1])
        along = -rotations.rotate(onward, base[0])
    shift = along @ body.axes.T
    for joint, parent in enumerate(clip.skeleton.parents):
        if parent < 0:
            turned[:, joint] = rotations.multiply(onward, turned[:, joint])
            located[:, joint] = body.origin + shift + rotations.rotate(onward, located[:, joint] - body.origin)
    return replace(clip.moved(turned, located))


def _forces(solution: GaitSolution, count: int) -> FloatArray:
    """Return (F, L, 3) body weights in the world: the grid's forces as second differences of the file see them."""
    plan = solution.plan
    steps, frames = plan.substeps, plan.period_frames
    grid = solution.state.forces * plan.contact[..., None]
    total = np.zeros((frames, *grid.shape[1:]))
    for offset in range(1 - steps, steps):
        angle = plan.omega * plan.dt * offset
        turn = np.eye(3)
        turn[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        total += (steps - abs(offset)) / steps**2 * np.roll(grid, -offset, axis=0)[::steps] @ turn.T
    _, heading = _headings(plan, count)
    upright = rotations.from_axis_angle(np.array([0.0, 0.0, 1.0]), heading)
    frame = rotations.multiply(rotations.from_matrices(plan.template.axes), upright)
    return rotations.rotate(frame[:, None], total[np.arange(count) % frames])
