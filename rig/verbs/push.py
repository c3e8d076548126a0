# SPDX-License-Identifier: GPL-3.0-or-later
"""A push against an animated body: it catches itself by stepping, or falls, in a new action.

What was before the push stays as it is, key by key.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import bpy
import numpy as np

from ...solver import cleanup
from ...solver.arrays import FloatArray
from ...solver.cleanup import CleanupSettings
from ...solver.clip import Clip
from ...solver.contacts import Contacts
from ...solver.gait.footfall import Footfall
from ...solver.gait.onward import onward
from ...solver.gait.pose import centre_of_mass
from ...solver.gait.push import Recovery, answer_push
from ...solver.gait.push_horizon import LENGTH, Pushed, Subject
from ...solver.gait.push_pose import recovered
from ...solver.gait.template import template_of, usual_mass
from ...solver.ground import Ground
from ...solver.limb import feet_among
from ...solver.loops import find_loop
from ..common.scene import report_of
from ..common.wording import RigError
from ..contacts.contact_curves import write_contacts
from ..controls.limb_controls import needs_controls
from ..curves import actions, cycles
from ..curves.channels import active_action
from ..legs.limb_bones import LimbBones
from ..ragdoll.falling import Fallen, fall_down
from ..sampling import evaluated
from ..sampling.sample import Sample, sample
from ..writing import results
from ..writing.nla import over_strips
from ..writing.write_controls import write_as_animated
from .journey import Cleaned, Options, contacts_of, sampled_action, with_warnings

Fall = Literal["AUTO", "NEVER", "ALWAYS"]
FALLS: tuple[Fall, ...] = get_args(Fall)

# Of a clip whose feet do not carry it: the share of its weight that is not explained, how long no foot is down after
# the push (√(h/g)), and how low its hips are against its legs.
_UNEXPLAINED, _IN_THE_AIR, _LOW = 0.6, 1.6, 0.45
_STILL_M = 1e-5
# Less than this of a clip after the push tells nothing (√(h/g)).
_LEAST = 1.0
# A fall and what follows take no longer than this (√(h/g)).
_WHOLE_FALL = 26.0


@dataclass(frozen=True)
class PushOptions:
    """What hits: at a bone's middle, on a scene frame, newton seconds in the world's axes.

    mass : kilograms; None for what a body of this size usually has.
    fall : AUTO falls where the body cannot catch itself, NEVER and ALWAYS say it.
    """

    bone: str
    frame: int
    impulse: tuple[float, float, float]
    mass: float | None = None
    fall: Fall = "AUTO"


@dataclass(frozen=True)
class PushResult:
    """What came of a push. delta_v, threshold : metres a second, by how much the body got faster, and what it can take
    this way; None where that was not asked. gape : metres by which joints of the fall came apart before bones were put
    on them.
    """

    cleaned: Cleaned
    falls: bool
    gets_up: bool
    delta_v: float
    mass: float
    threshold: float | None
    gape: float = 0.0


@over_strips
def push(
    armature: bpy.types.Object,
    limbs: Sequence[LimbBones],
    options: Options,
    hit: PushOptions,
    contacts: Contacts | None = None,
) -> PushResult:
    """Push the armature's active action, in a new one that is assigned.

    contacts : over all of it; None for those of the action's curves, or else newly found ones.

    Raises
    ------
    RigError
        Where the push is none, or the clip's feet do not carry it. Nothing has been changed then.
    """
    _refuse_no_push(armature, hit)
    source = active_action(armature)
    with cycles.taken_off(armature):
        motion = _motion(armature, limbs, options, hit, contacts)
        made = _written(armature, limbs, motion, _ended(motion, _answered(armature, motion, hit)), source)
        cleaned = with_warnings(made.cleaned, options)
        results.remember_figures(cleaned.result, cleaned.before, cleaned.after, cleaned.warnings)
    return replace(made, cleaned=cleaned)


def _refuse_no_push(armature: bpy.types.Object, hit: PushOptions) -> None:
    name = armature.name
    if hit.bone not in armature.pose.bones:
        raise RigError('"{armature}" has no bone "{bone}": choose one of its own', armature=name, bone=hit.bone)
    if not np.isfinite(hit.impulse).all() or (hit.mass is not None and not np.isfinite(hit.mass)):
        raise RigError("the impulse and the mass have to be finite numbers")
    if not np.any(np.abs(hit.impulse) > 0.0):
        raise RigError("the impulse is zero: give it a direction and newton seconds, 30 is a shove")
    if hit.mass is not None and hit.mass <= 0.0:
        raise RigError("the mass is {mass:g} kg: give one above 0, or leave it to the body's size", mass=hit.mass)
    if hit.fall not in FALLS:
        raise RigError("there is no fall {fall}: choose from {names}", fall=hit.fall, names=", ".join(FALLS))


@dataclass(frozen=True)
class _Motion:
    """An action as it is pushed. ``kept`` is the last frame that stays, by index; the subject begins there.

    feet : which of the limbs are the subject's.
    """

    sample: Sample
    contacts: Contacts
    ground: Ground
    kept: int
    subject: Subject
    push: Pushed
    mass: float
    feet: list[int]


@dataclass(frozen=True)
class _Answer:
    """The clip from the last frame that stays on, its contacts of the subject's limbs, and how it came about."""

    clip: Clip
    contacts: Contacts
    recovery: Recovery | None
    fallen: Fallen | None


def _motion(
    armature: bpy.types.Object,
    limbs: Sequence[LimbBones],
    options: Options,
    hit: PushOptions,
    contacts: Contacts | None,
) -> _Motion:
    whole = sample(armature, limbs, whole=True)
    if needs_controls(armature, whole):
        # Of a control rig only what carries the limbs is moved: the rest is the rig's own.
        whole = sample(armature, limbs)
    scene = sampled_action(armature, limbs, replace(options, frames=None), whole)
    planted = contacts_of(armature, limbs, scene, replace(options, frames=None), contacts)
    whole = scene.sample
    first, last = whole.frames[[0, -1]]
    if not first <= hit.frame <= last:
        raise RigError(
            "frame {frame} is not in the action, which has frames {first:.0f} to {last:.0f}: push it on one of them",
            frame=hit.frame,
            first=first,
            last=last,
        )
    feet = feet_among(whole.limbs)
    kept = max(int(np.searchsorted(whole.frames, hit.frame)) - 1, 0)
    subject = _subject(whole, planted, feet, kept, scene.ground)
    more = int(np.ceil(_WHOLE_FALL * subject.template.time * whole.clip.fps))
    longer = onward(whole.clip, planted, kept + more, whole.limbs[feet[0]].root)
    if longer is not None:
        subject = _subject(replace(whole, clip=longer[0]), longer[1], feet, kept, scene.ground)
    mass = usual_mass(subject.template) if hit.mass is None else hit.mass
    place = _middle_of(armature, hit.bone, float(whole.frames[kept]))
    push = Pushed(place, np.array(hit.impulse, dtype=np.float64) / mass)
    return _Motion(whole, planted, scene.ground, kept, subject, push, mass, feet)


def _subject(whole: Sample, planted: Contacts, feet: list[int], kept: int, ground: Ground) -> Subject:
    limbs = [whole.limbs[at] for at in feet]
    clip = whole.clip.during(slice(kept, None))
    body = template_of(clip, limbs)
    at_push = whole.clip.positions[[min(kept, whole.clip.frame_count - 1)]][:, [limb.toe for limb in limbs]]
    height = float(np.min(ground.during(slice(kept, kept + 1)).height(at_push)))
    com = centre_of_mass(clip, body.masses, body.coms)
    return Subject(clip, limbs, body, Footfall(planted.of(feet).during(slice(kept, None))), com, height)


def _middle_of(armature: bpy.types.Object, bone: str, frame: float) -> FloatArray:
    objects, poses = evaluated.step_through(armature, [bone], np.array([frame]))
    half = np.array([0.0, 0.5 * armature.pose.bones[bone].bone.length, 0.0, 1.0])
    return np.asarray((objects[0] @ poses[0, 0] @ half)[:3])


def _answered(armature: bpy.types.Object, motion: _Motion, hit: PushOptions) -> _Answer:
    recovery: Recovery | None = None
    if hit.fall != "ALWAYS":
        _refuse_uncarried(motion, hit.frame)
        recovery = answer_push(motion.subject, motion.push, always=hit.fall == "NEVER")
        if recovery.missed > _UNEXPLAINED:
            raise RigError(
                "feet do not carry this motion at frame {frame}: their forces miss it by {missed:.1f} body weights. "
                "Set the contacts right, or let it fall (Always)",
                frame=hit.frame,
                missed=recovery.missed,
            )
        if recovery.caught or hit.fall == "NEVER":
            return _Answer(recovered(recovery, motion.push), recovery.subject.footfall.contacts, recovery, None)
    if needs_controls(armature, motion.sample):
        raise RigError(
            "it falls, and a fall can not be written on a control rig's controls: bake the action to the bones first, "
            "push less, or choose Fall: Never"
        )
    # On a belt that runs on there is no getting up.
    runs = bool(np.any(motion.ground.velocity(motion.sample.clip.positions[:, [motion.sample.limbs[0].toe]]) != 0.0))
    fallen = fall_down(motion.subject, motion.push, motion.mass, stays_down=runs)
    return _Answer(fallen.clip, fallen.contacts, recovery, fallen)


def _ended(motion: _Motion, answer: _Answer) -> _Answer:
    """Return an answer that is over with the action, or with the lap of a loop in which all is well again."""
    whole, subject = motion.sample.clip, motion.subject
    loop = find_loop(whole, motion.sample.limbs[motion.feet[0]].root)
    if loop is None or (answer.fallen is not None and not answer.fallen.rises):
        return answer
    over = LENGTH * subject.template.time * subject.clip.fps if answer.fallen is None else answer.fallen.up
    laps = max(int(np.ceil((motion.kept + over + 1) / loop.period)), 1)
    end = laps * loop.period + whole.frame_count - loop.period - motion.kept
    window = slice(0, min(end, answer.clip.frame_count))
    return replace(answer, clip=answer.clip.during(window), contacts=answer.contacts.during(window))


def _refuse_uncarried(motion: _Motion, frame: int) -> None:
    subject, body = motion.subject, motion.subject.template
    soon = int(np.ceil(_IN_THE_AIR * body.time * subject.clip.fps)) + 1
    if subject.clip.frame_count <= _LEAST * body.time * subject.clip.fps:
        raise RigError(
            "the action is over {count} frames after the push, too soon to see what comes of it: push it earlier, or "
            "let it fall (Always)",
            count=subject.clip.frame_count - 1,
        )
    if not subject.footfall.contacts.foot_down[:soon].any():
        raise RigError(
            "no foot is on the ground at frame {frame} or soon after, so that it cannot catch itself: choose another "
            "frame, set contacts there, or let it fall (Always)",
            frame=frame,
        )
    if body.reach.max() * _LOW > 1.0:  # the hips' height is 1
        raise RigError(
            "it sits or lies at frame {frame}, with its hips at {height:.2f} m: choose a frame in which it stands, or "
            "let it fall (Always)",
            frame=frame,
            height=body.height,
        )


def _written(
    armature: bpy.types.Object,
    limbs: Sequence[LimbBones],
    motion: _Motion,
    answer: _Answer,
    source: bpy.types.Action,
) -> PushResult:
    first = motion.kept + 1
    before = _as_long(motion.sample, motion.kept + answer.clip.frame_count)
    planted = _contacts_of(motion, answer.contacts, before.clip.frame_count)
    window = slice(first, None)
    asked = replace(before, clip=before.clip.during(window), frames=before.frames[window])
    clip = _joined(before.clip.during(slice(0, first)), answer.clip.during(slice(1, None)))
    clip = _joined(clip, before.clip.during(slice(clip.frame_count, None)))
    # Feet that slide in the source stand still from the push on, as they would in any result.
    # A fall is no one's to clean.
    stays = np.arange(clip.frame_count) < (first if answer.fallen is None else motion.kept + answer.fallen.up + 1)
    clip, _ = cleanup.clean(clip, before.limbs, planted, motion.ground, CleanupSettings(), stays)
    # Bones that keep their length are not moved by what rounding leaves.
    kept = np.abs(clip.local_locations - before.clip.local_locations) < _STILL_M
    if answer.fallen is not None:
        kept[:, [j for j in range(kept.shape[1]) if j not in answer.fallen.carriers]] = True
    clip = clip.moved(None, np.where(kept, before.clip.local_locations, clip.local_locations))
    result, shown = write_as_animated(armature, asked, clip.during(window), actions.named_after(source, "Push"))
    result[actions.SOURCE_PROPERTY] = source
    result[actions.NEW_MOTION_PROPERTY] = source
    write_contacts(armature, result, limbs, planted, before.frames)
    clip = _joined(before.clip.during(slice(0, first)), shown)
    was = report_of(before.clip, before.limbs, planted, motion.ground)
    now = report_of(clip, before.limbs, planted, motion.ground, before.clip)
    fallen, recovery = answer.fallen, answer.recovery
    return PushResult(
        Cleaned(source, result, before, clip, planted, was, now, motion.ground),
        falls=fallen is not None,
        gets_up=fallen is not None and fallen.rises,
        delta_v=float(np.linalg.norm(motion.push.delta_v)),
        mass=motion.mass,
        threshold=None if recovery is None else recovery.threshold,
        gape=0.0 if fallen is None else fallen.gape,
    )


def _as_long(sample: Sample, count: int) -> Sample:
    """Return the sample with ``count`` frames at least: after the action's end its last pose is seen."""
    more = count - len(sample.frames)
    if more <= 0:
        return sample
    order = np.minimum(np.arange(count), len(sample.frames) - 1)
    clip = sample.clip.moved(sample.clip.local_rotations[order], sample.clip.local_locations[order])
    frames = np.concatenate([sample.frames, sample.frames[-1] + np.arange(1, more + 1)])
    return replace(sample, clip=clip, frames=frames)


def _contacts_of(motion: _Motion, after: Contacts, count: int) -> Contacts:
    """Return the contacts of all limbs over the result: the feet's as they are now, hands' as they were."""
    toe, heel = np.zeros((count, motion.contacts.toe.shape[1])), np.zeros((count, motion.contacts.toe.shape[1]))
    there = min(count, len(motion.contacts.toe))
    toe[:there], heel[:there] = motion.contacts.toe[:there], motion.contacts.heel[:there]
    for own, new in ((toe, after.toe), (heel, after.heel)):
        own[motion.kept : motion.kept + len(new), motion.feet] = new
        own[motion.kept + len(new) :, motion.feet] = 0.0
    return Contacts(toe, heel)


def _joined(first: Clip, second: Clip) -> Clip:
    return first.moved(
        np.concatenate([first.local_rotations, second.local_rotations]),
        np.concatenate([first.local_locations, second.local_locations]),
    )
