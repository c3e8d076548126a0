# SPDX-License-Identifier: GPL-3.0-or-later
"""The one journey that every verb takes: armature and action → clip → solver → a new action or its curves.

Operators and the command both call these. Whatever a user can mend is a RigError, and nothing has been changed then:
all is computed first and written last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import bpy
import numpy as np

from ...solver import cleanup, locking
from ...solver.cleanup import CleanupSettings
from ...solver.clip import Clip
from ...solver.contacts import Contacts, idle_hands
from ...solver.detection import ContactSettings, find_contacts
from ...solver.ground import Ground
from ...solver.locking import LockRun, LockSettings
from ...solver.metrics import Report
from ...solver.own_floor import on_own_floor
from ...solver.rotations import FloatArray
from ...solver.signals import BoolArray
from ...solver.treadmill import on_treadmill
from ..common.scene import report_of
from ..common.steps import Steps, finished, share
from ..common.warnings import Warning
from ..common.wording import RigError
from ..contacts.contact_curves import edited_states, read_contacts, write_contacts
from ..contacts.shared import share_contacts
from ..contacts.states import write_states
from ..curves import actions
from ..curves.channels import active_action, keyed_frames
from ..legs.limb_bones import LimbBones
from ..sampling.sample import Sample, sample, sample_in_steps
from ..terrain.ground import ground_of, off_the_ground
from ..writing import nla, one_result, results
from ..writing.write_controls import write_as_animated
from . import checks

# How much of the work is done when the motion has been sampled, and so on.
SAMPLED, CONTACTS_FOUND, SOLVED = 0.5, 0.6, 0.8


@dataclass(frozen=True)
class Options:
    """The settings of one run.

    ground_height : metres in the world.
    ground_objects : names of objects and collections that feet stand on; the floor is where they are not.
    frames : first and last scene frame; None for all that is keyed.
    over_strips : where a result goes that is made of what NLA strips show.
    """

    contacts: ContactSettings = field(default_factory=ContactSettings)
    cleanup: CleanupSettings = field(default_factory=CleanupSettings)
    lock: LockSettings = field(default_factory=LockSettings)
    ground_height: float = 0.0
    ground_objects: tuple[str, ...] = ()
    frames: tuple[int, int] | None = None
    over_strips: nla.Kept = "STRIP"


@dataclass(frozen=True)
class Measured:
    """An action's motion over the frames asked for, its contacts, its figures and what its feet stand on.

    own_floor : metres in the world, where all contacts agree on another height than that of the ground: then used.
    """

    sample: Sample
    contacts: Contacts
    report: Report
    ground: Ground
    own_floor: float | None = None
    warnings: tuple[Warning, ...] = ()


@dataclass(frozen=True)
class Cleaned:
    """A source action and what was made of it. ``sample`` is the source's motion, ``clip`` the result's.

    own_floor : as in ``Measured``.
    """

    source: bpy.types.Action
    result: bpy.types.Action
    sample: Sample
    clip: Clip
    contacts: Contacts
    before: Report
    after: Report
    ground: Ground
    own_floor: float | None = None
    warnings: tuple[Warning, ...] = ()


@dataclass(frozen=True)
class SampledAction:
    """What a verb starts from: the whole action, and which of its frames were asked for.

    own_floor : metres in the world, None where the clip stands on the ground's height.
    off_ground : metres by which its own floor is above the ground's height.
    """

    sample: Sample
    ground: Ground
    window: slice
    own_floor: float | None = None
    off_ground: float = 0.0

    @property
    def asked_for(self) -> Sample:
        return replace(
            self.sample,
            clip=self.sample.clip.during(self.window),
            frames=self.sample.frames[self.window],
        )


def measure(
    armature: bpy.types.Object, limbs: Sequence[LimbBones], options: Options, contacts: Contacts | None = None
) -> Measured:
    """Return the figures of the active action, changing nothing.

    contacts : over the frames asked for; None to read them from the action's curves, or to find them where it has none.
    """
    sampled = sampled_action(armature, limbs, options)
    return _measured(sampled, contacts_of(armature, limbs, sampled, options, contacts), options)


def annotate(armature: bpy.types.Object, limbs: Sequence[LimbBones], options: Options) -> Measured:
    """Find contacts and write them as curves into the active action.

    On frames not asked for its contacts stay, and everywhere what a person set or edited.
    """
    return finished(annotate_in_steps(armature, limbs, options))


def annotate_in_steps(armature: bpy.types.Object, limbs: Sequence[LimbBones], options: Options) -> Steps[Measured]:
    """Do what ``annotate`` does, in steps; nothing is changed before the last."""
    whole = yield from share(sample_in_steps(armature, limbs), 0.0, SAMPLED)
    yield SAMPLED
    sampled = sampled_action(armature, limbs, options, whole)
    found = found_contacts(sampled, options)
    before = read_contacts(armature, limbs, sampled.sample.frames, muted_too=True)
    states = edited_states(armature, limbs, sampled.sample.frames)
    detected = found if before is None else before.replaced(sampled.window, found.during(sampled.window))
    contacts = states.applied_to(detected)
    measured = _measured(sampled, contacts, options)
    action = nla.home_of_contacts(armature)
    write_contacts(armature, action, limbs, contacts, sampled.sample.frames, options.contacts.blend_time)
    write_states(armature, limbs, states, sampled.sample.frames)
    share_contacts(armature)
    results.remember_new_figures(action, measured.report, measured.warnings)
    return measured


def clean(
    armature: bpy.types.Object, limbs: Sequence[LimbBones], options: Options, contacts: Contacts | None = None
) -> Cleaned:
    """Make the contacts true in a new action, and assign it. The source action's motion is left as it is.

    A result is cleaned again from its source, with the contacts that its own curves have now.
    """
    return finished(clean_in_steps(armature, limbs, options, contacts))


def clean_in_steps(
    armature: bpy.types.Object, limbs: Sequence[LimbBones], options: Options, contacts: Contacts | None = None
) -> Steps[Cleaned]:
    """Do what ``clean`` does, in steps; where it is closed early, all is as it was."""
    return _from_source(armature, limbs, options, contacts, CLEAN)


def lock(
    armature: bpy.types.Object, limbs: Sequence[LimbBones], options: Options, contacts: Contacts | None = None
) -> Cleaned:
    """Lock the feet as a game does, in a new action, and assign it; for the rest as ``clean``."""
    return finished(_from_source(armature, limbs, options, contacts, LOCK))


# What makes a result: a clip and where its toes were to go (F, L, 3), of a sampled action and the contacts in it.
Solve = Callable[[SampledAction, Contacts, Options], tuple[Clip, FloatArray]]


@dataclass(frozen=True)
class Method:
    """A way to make contacts true: the name that its results have, and what solves it."""

    name: str
    solve: Solve


def cleaned_clip(sampled: SampledAction, planted: Contacts, options: Options) -> tuple[Clip, FloatArray]:
    whole = sampled.sample
    clip, solution = cleanup.clean(
        whole.clip, whole.limbs, planted, sampled.ground, options.cleanup, pinned_frames(whole, sampled.window)
    )
    return clip, solution.toe_targets


def locked_clip(sampled: SampledAction, planted: Contacts, options: Options) -> tuple[Clip, FloatArray]:
    clip, played = play_lock(sampled, planted, options)
    return clip, played.toe_targets


def play_lock(sampled: SampledAction, planted: Contacts, options: Options) -> tuple[Clip, LockRun]:
    """Return the clip with its feet locked, and the lock's run; where a part of it is asked for, it is no loop."""
    whole = sampled.sample
    repeats = pinned_frames(whole, sampled.window) is None
    held = playable(sampled, planted, options)
    return locking.lock(whole.clip, whole.limbs, held, sampled.ground, options.lock, repeats)


CLEAN, LOCK = Method("Clean", cleaned_clip), Method("Lock", locked_clip)


def playable(sampled: SampledAction, planted: Contacts, options: Options) -> Contacts:
    """Return the contacts that the lock may hold on to: so that it has let go wherever a frame was not asked for."""
    count = len(sampled.sample.frames)
    asked = np.zeros(count, dtype=bool)
    asked[sampled.window] = True
    if sampled.window.stop < count:
        letting_go = int(np.ceil(options.lock.blend_time * sampled.sample.clip.fps)) + 1
        asked[max(sampled.window.stop - letting_go, 0) : sampled.window.stop] = False
    return Contacts(planted.toe * asked[:, None], planted.heel * asked[:, None])


def _from_source(
    armature: bpy.types.Object,
    limbs: Sequence[LimbBones],
    options: Options,
    contacts: Contacts | None,
    method: Method,
) -> Steps[Cleaned]:
    """Make a result of the active action's source, or of NLA strips, by one of the two methods."""
    made = partial(_from_action, armature, limbs, options, contacts, method)
    return nla.in_one_action(armature, made, options.over_strips, options.frames, again=True)


def _from_action(
    armature: bpy.types.Object,
    limbs: Sequence[LimbBones],
    options: Options,
    contacts: Contacts | None,
    method: Method,
) -> Steps[Cleaned]:
    active = active_action(armature)
    source = actions.start_of(active)
    if contacts is None and source is not active:
        contacts = contacts_of_result(armature, limbs, options)
    keyed = keyed_frames(armature)
    states = edited_states(armature, limbs, keyed)
    try:
        if source is not active:
            actions.assign(armature, source)
        made = yield from _made(armature, limbs, options, contacts, method)
        write_states(armature, limbs, states, keyed)
        one_result.remember_made(made.result, armature.animation_data.action_slot.identifier, method.name)
        one_result.replace_previous(armature, made.result)
        return made
    except BaseException:
        actions.assign(armature, active)
        raise


def _made(
    armature: bpy.types.Object,
    limbs: Sequence[LimbBones],
    options: Options,
    contacts: Contacts | None,
    method: Method,
) -> Steps[Cleaned]:
    source = active_action(armature)
    whole = yield from share(sample_in_steps(armature, limbs), 0.0, SAMPLED)
    yield SAMPLED
    sampled = sampled_action(armature, limbs, options, whole)
    planted = contacts_of(armature, limbs, sampled, options, contacts)
    yield CONTACTS_FOUND
    clip, targets = method.solve(sampled, planted, options)
    yield SOLVED
    asked = sampled.asked_for
    kept = planted.during(sampled.window)
    ground = sampled.ground.during(sampled.window)
    off = sampled.off_ground
    before = report_of(asked.clip, asked.limbs, kept, ground, off_ground=off)
    changed = without_idle_hands(asked, planted)
    result, shown = write_as_animated(
        armature, changed, clip.during(sampled.window), actions.named_after(source, method.name)
    )
    after = report_of(shown, asked.limbs, kept, ground, asked.clip, targets[sampled.window], off)
    actions.mark_cleaned(result, source if method is CLEAN else None, asked.frames)
    write_contacts(armature, result, limbs, planted, sampled.sample.frames, options.contacts.blend_time)
    done = Cleaned(source, result, asked, shown, kept, before, after, ground, sampled.own_floor)
    done = with_warnings(done, options)
    if method is CLEAN:  # a game's lock is sharp by its nature
        done = replace(done, warnings=(*done.warnings, *checks.of_sharpness(before, after)))
    results.remember_figures(result, before, after, done.warnings)
    return done


def with_warnings(made: Cleaned, options: Options) -> Cleaned:
    """Return a result with what has to be told of it."""
    motion = made.sample
    off = off_the_ground(made.ground, made.clip, motion.limbs, made.contacts, motion.clip)
    found = checks.of_motion(motion, made.after, made.ground, options.ground_height) + checks.of_ground(off)
    return replace(made, warnings=(*found, *checks.of_change(motion, made.before, made.after)))


def without_idle_hands(motion: Sample, contacts: Contacts) -> Sample:
    """Return a sample of the limbs that a result changes: the controls of hands that stand nowhere are let be."""
    idle = idle_hands(motion.limbs, contacts)
    return replace(motion, limbs=tuple(limb for at, limb in enumerate(motion.limbs) if at not in idle))


def sampled_action(
    armature: bpy.types.Object, limbs: Sequence[LimbBones], options: Options, whole: Sample | None = None
) -> SampledAction:
    """Sample the whole action: contacts and corrections at the edge of a window need what is around it.

    whole : the action where it has been sampled already.
    """
    whole = whole or sample(armature, limbs)
    floor = ground_of(options.ground_objects, options.ground_height, whole)
    ground = on_treadmill(whole.clip, whole.limbs, floor)
    ground, own_floor = on_own_floor(whole.clip, whole.limbs, ground, options.contacts)
    stands = (own_floor, 0.0 if own_floor is None else own_floor - options.ground_height)
    first, last = whole.frames[0], whole.frames[-1]
    if options.frames is None:
        return SampledAction(whole, ground, slice(0, len(whole.frames)), *stands)
    start, end = options.frames
    if start > end or end < first or start > last:
        name = active_action(armature).name
        raise RigError(
            'frames {start} to {end} are not in action "{name}": choose frames between {first:.0f} and {last:.0f}',
            start=start,
            end=end,
            name=name,
            first=first,
            last=last,
        )
    window = slice(int(np.searchsorted(whole.frames, start)), int(np.searchsorted(whole.frames, end, side="right")))
    return SampledAction(whole, ground, window, *stands)


def contacts_of(
    armature: bpy.types.Object,
    limbs: Sequence[LimbBones],
    sampled: SampledAction,
    options: Options,
    given: Contacts | None,
) -> Contacts:
    """Return contacts over the whole action: those given over the window, else the curves', else newly found ones."""
    if given is not None:
        nothing = np.zeros((len(sampled.sample.frames), len(limbs)))
        return Contacts(nothing, nothing).replaced(sampled.window, given)
    stored = read_contacts(armature, limbs, sampled.sample.frames)
    if stored is not None:
        return stored
    return found_contacts(sampled, options)


def found_contacts(sampled: SampledAction, options: Options) -> Contacts:
    """Return the contacts that are found in the whole action, whatever its curves say."""
    sample = sampled.sample
    return find_contacts(sample.clip, sample.limbs, sampled.ground, options.contacts, belt_known=True)


def contacts_of_result(armature: bpy.types.Object, limbs: Sequence[LimbBones], options: Options) -> Contacts | None:
    """Return what the active result's own curves say on the frames asked for, None where it has none."""
    if options.frames is None:
        return read_contacts(armature, limbs, keyed_frames(armature))
    first, last = options.frames
    return read_contacts(armature, limbs, np.arange(first, last + 1, dtype=np.float64))


def _measured(sampled: SampledAction, contacts: Contacts, options: Options) -> Measured:
    asked = sampled.asked_for
    kept = contacts.during(sampled.window)
    ground = sampled.ground.during(sampled.window)
    report = report_of(asked.clip, asked.limbs, kept, ground, off_ground=sampled.off_ground)
    off = off_the_ground(ground, asked.clip, asked.limbs, kept)
    found = (*checks.of_motion(asked, report, ground, options.ground_height), *checks.of_ground(off))
    return Measured(asked, kept, report, ground, sampled.own_floor, found)


def pinned_frames(whole: Sample, window: slice) -> BoolArray | None:
    """Return which frames have to stay as they are: those that were not asked for."""
    pinned = np.ones(len(whole.frames), dtype=bool)
    pinned[window] = False
    return pinned if pinned.any() else None
