# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts by hand: what a person says of a span goes into the states, and at once into the contact curves."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np

from ...solver.contacts import Contacts, runs
from ...solver.detection import toe_speed
from ...solver.forced import ForcedStates, State, StateArray
from ...solver.rotations import FloatArray
from ...solver.signals import BoolArray
from ..common.wording import RigError, say
from ..contacts import summary
from ..contacts.contact_curves import edited_states, read_contacts, write_contacts
from ..contacts.properties import ALL, HEEL, TOE, refuse_unwritable
from ..contacts.shared import share_contacts
from ..contacts.states import write_states
from ..curves.actions import on_source, refuse_uneditable
from ..curves.channels import active_action, channels_of, keyed_frames
from ..curves.keys import remove_properties
from ..legs.limb_bones import LimbBones
from ..verbs.journey import Options, SampledAction, found_contacts, sampled_action
from ..writing import nla

# First and last scene frame, inclusive.
Span = tuple[int, int]


@dataclass(frozen=True)
class Tracks:
    """The contacts of an armature's limbs over all that is keyed, and what was set for them, while a tool runs.

    frames : (F,) scene frames; contacts and states are (F, L).
    are_new : whether no curve holds them yet.
    """

    armature: bpy.types.Object
    limbs: Sequence[LimbBones]
    options: Options
    frames: FloatArray
    contacts: Contacts
    states: ForcedStates
    are_new: bool = False

    def planted(self, limb: int, point: str) -> BoolArray:
        """Return when the limb's toe or heel is planted ``(F,)``."""
        both = self.contacts.toe_planted if point == TOE else self.contacts.heel_planted
        return both[:, limb]

    def set_for(self, limb: int, point: str) -> StateArray:
        """Return what is set for the limb's toe or heel ``(F,)``."""
        both = self.states.toe if point == TOE else self.states.heel
        return both[:, limb]


@dataclass(frozen=True)
class Edge:
    """Where a contact begins (``rises``) or ends: ``frame`` is its first, or its last, in the scene."""

    limb: int
    frame: int
    rises: bool


def stored_tracks(armature: bpy.types.Object, limbs: Sequence[LimbBones], options: Options) -> Tracks:
    """Return the contacts of the active action; RigError where it has none yet."""
    frames = keyed_frames(armature)
    stored = read_contacts(armature, limbs, frames, muted_too=True)
    if stored is None:
        raise RigError(
            'action "{action}" has no contacts yet: use Annotate Contacts first', action=active_action(armature).name
        )
    return Tracks(armature, limbs, options, frames, stored, edited_states(armature, limbs, frames))


def found_tracks(armature: bpy.types.Object, limbs: Sequence[LimbBones], options: Options) -> Tracks:
    """Return the contacts of the active action, found now where it has none yet."""
    frames = keyed_frames(armature)
    if read_contacts(armature, limbs, frames, muted_too=True) is not None:
        return stored_tracks(armature, limbs, options)
    states = edited_states(armature, limbs, frames)
    contacts = states.applied_to(found_contacts(_sampled_source(armature, limbs, options), options))
    return Tracks(armature, limbs, options, frames, contacts, states, are_new=True)


def set_states(tracks: Tracks, spans: Mapping[int, Sequence[Span]], wanted: Mapping[str, State]) -> None:
    """Set what ``wanted`` says of the points of a foot, over spans of limbs by their index, and write it.

    RigError where no span has a frame that is keyed, or the curves cannot be written; nothing has been changed then.
    """
    inside = np.zeros_like(tracks.contacts.toe_planted)
    for limb, of_limb in spans.items():
        for first, last in of_limb:
            inside[:, limb] |= (tracks.frames >= first) & (tracks.frames <= last)
    if not inside.any():
        first, last = tracks.frames[[0, -1]]
        raise RigError(
            "no frame there is keyed: choose frames between {first:.0f} and {last:.0f}", first=first, last=last
        )
    new = ForcedStates(
        *(
            np.where(inside, np.int8(wanted[point]), of_point) if point in wanted else of_point
            for point, of_point in ((TOE, tracks.states.toe), (HEEL, tracks.states.heel))
        )
    )
    _write(tracks, new, new.applied_to(_given_back(tracks, new, inside)), sorted(spans))


def move_contacts(tracks: Tracks, limb: int, moves: Sequence[tuple[str, Span, Span]]) -> None:
    """Let contacts of a limb's toe or heel begin and end elsewhere, and write it: point, old and new span of each.

    Frames that one gains are planted by hand, those that it loses are lifted, or slide where it slides next to them;
    all others stay as ``tracks`` has them, whatever was written since.

    Raises
    ------
    RigError
        Where the curves cannot be written. Nothing has been changed then.
    """
    states = {TOE: tracks.states.toe.copy(), HEEL: tracks.states.heel.copy()}
    at = tracks.frames
    for point, (old_first, old_last), (first, last) in moves:
        column = states[point][:, limb]
        slides = column == State.SLIDING
        lost = (at >= old_first) & (at <= old_last) & ((at < first) | (at > last))
        for side, beside in ((at < first, old_first - 1), (at > last, old_last + 1)):
            column[lost & side] = State.SLIDING if slides[at == beside].any() else State.LIFTED
        column[((at < old_first) | (at > old_last)) & (at >= first) & (at <= last)] = State.PLANTED
    forced = ForcedStates(states[TOE], states[HEEL])
    _write(tracks, forced, forced.applied_to(tracks.contacts), [limb])


def spans_of(tracks: Tracks, limb: int, point: str) -> list[Span]:
    """Return first and last scene frame of each contact of the limb's toe or heel, in order."""
    return [(int(tracks.frames[a]), int(tracks.frames[b])) for a, b in runs(tracks.planted(limb, point))]


def _write(tracks: Tracks, new: ForcedStates, contacts: Contacts, limbs: Sequence[int]) -> None:
    """Write contacts and states of limbs, by their index, into the active action: of all where none hold them yet."""
    columns = list(range(len(tracks.limbs))) if tracks.are_new else list(limbs)
    chosen = [tracks.limbs[limb] for limb in columns]
    written = Contacts(contacts.toe[:, columns], contacts.heel[:, columns], contacts.foot_down[:, columns])
    home, ease_time = nla.home_of_contacts(tracks.armature), tracks.options.contacts.blend_time
    write_contacts(tracks.armature, home, chosen, written, tracks.frames, ease_time)
    write_states(tracks.armature, chosen, ForcedStates(new.toe[:, columns], new.heel[:, columns]), tracks.frames)
    share_contacts(tracks.armature)


def clear(armature: bpy.types.Object, limbs: Sequence[LimbBones]) -> int:
    """Remove all contacts of ``limbs`` from the active action, and what was set for them; return how many curves."""
    action = active_action(armature)
    for owner in (armature, action):
        refuse_uneditable(owner)
    channels = channels_of(armature)
    for limb in limbs:
        refuse_unwritable(armature, channels, limb)
    removed = remove_properties(armature, [(limb.contact_bone, name) for limb in limbs for name in ALL])
    summary.forget(action, limbs)
    share_contacts(armature, cleared=True)
    armature.update_tag(refresh={"TIME"})
    return removed


def span_at(tracks: Tracks, limb: int, points: Collection[str], frame: int, wanted: State) -> Span | None:
    """Return the span round ``frame`` that a tool is about, None where there is nothing to be about.

    Of two ``points``, what either does counts: a step lasts from heel strike to push-off. For AUTO, it is what was set
    there; else the contact there. Between two contacts, Lift is about all that is between them; what is planted or
    slides there is new.
    """
    at = int(np.searchsorted(tracks.frames, frame))
    if at >= len(tracks.frames) or tracks.frames[at] != frame:
        return None
    planted = np.any([tracks.planted(limb, point) for point in points], axis=0)
    states = np.array([tracks.set_for(limb, point) for point in points])
    if wanted is State.AUTO:
        is_set = np.any(states != State.AUTO, axis=0)
        return _round(tracks.frames, is_set, at) if is_set[at] else None
    slides = np.any(states == State.SLIDING, axis=0) & ~planted
    if slides[at]:
        return _round(tracks.frames, slides, at)
    if planted[at] or wanted is State.LIFTED:
        return _round(tracks.frames, planted == planted[at], at)
    return _new_span(tracks, limb, ~planted, at)


def undone(tracks: Tracks, limb: int, frame: int, wanted: State) -> Span | None:
    """Return the span that has to be left to detection for the foot at ``frame`` to be what is ``wanted`` of it.

    So Plant takes back what Lift did to a contact that was found, Lift what Plant added to those, and nothing stays
    set by hand. None where the opposite was not set by hand there, or detection would not find what is wanted.
    """
    opposite = {State.PLANTED: State.LIFTED, State.LIFTED: State.PLANTED}.get(wanted)
    at = int(np.searchsorted(tracks.frames, frame))
    if opposite is None or at >= len(tracks.frames) or tracks.frames[at] != frame:
        return None
    was_set = tracks.set_for(limb, TOE) == opposite
    if not was_set[at]:
        return None
    span = first, last = _round(tracks.frames, was_set, at)
    found = found_contacts(_sampled_source(tracks.armature, tracks.limbs, tracks.options), tracks.options).toe_planted[
        :, limb
    ]
    inside = (tracks.frames >= first) & (tracks.frames <= last)
    finds_it = found[at] if wanted is State.PLANTED else not found[inside].any()
    return span if finds_it else None


def edges(tracks: Tracks, limbs: Collection[int], point: str, inner: bool = False) -> list[Edge]:
    """Return where the contacts of ``limbs`` begin and end, in order of time.

    inner : without those at the clip's own ends, which nothing is on the other side of.
    """
    found = []
    count = len(tracks.frames)
    for limb in limbs:
        for first, last in runs(tracks.planted(limb, point)):
            if first > 0 or not inner:
                found.append(Edge(limb, int(tracks.frames[first]), rises=True))
            if last < count - 1 or not inner:
                found.append(Edge(limb, int(tracks.frames[last]), rises=False))
    return sorted(found, key=lambda edge: (edge.frame, edge.limb))


def nudged(tracks: Tracks, edge: Edge, point: str, step: int) -> tuple[Span, State]:
    """Return the span that has to be set, and to what, for an edge to move by ``step`` frames.

    RigError where the contact, or the gap before or after it, would be left without a frame.
    """
    at = int(np.searchsorted(tracks.frames, edge.frame))
    planted = tracks.planted(edge.limb, point)
    grows = (step < 0) == edge.rises
    # Frames that change over, from the edge on; one more has to stay as it is.
    outward = -1 if edge.rises else 1
    begin = at + outward if grows else at
    way = outward if grows else -outward
    frames = begin + way * np.arange(abs(step) + 1)
    is_there = (frames >= 0) & (frames < len(planted))
    passed = frames[:-1]
    if not is_there[:-1].all() or (planted[frames[is_there]] == grows).any():
        kind = say("gap") if grows else say("contact")
        raise RigError(
            "the {kind} at frame {frame} has no room for {step} frames: split, lift or plant it",
            kind=kind,
            frame=edge.frame,
            step=abs(step),
        )
    states = tracks.set_for(edge.limb, point)
    beside = at + outward
    slides = 0 <= beside < len(states) and states[beside] == State.SLIDING
    state = State.PLANTED if grows else State.SLIDING if slides else State.LIFTED
    return (int(tracks.frames[passed.min()]), int(tracks.frames[passed.max()])), state


def split_span(tracks: Tracks, limb: int, point: str, frame: int, gap: int) -> Span | None:
    """Return the ``gap`` frames round ``frame`` that have to be lifted to make two of the contact there, None if none.

    Both contacts keep a frame at least, for which the gap gets shorter.
    """
    planted = tracks.planted(limb, point)
    at = int(np.searchsorted(tracks.frames, frame))
    if at >= len(planted) or tracks.frames[at] != frame or not planted[at]:
        return None
    first, last = _round(tracks.frames, planted, at)
    start, end = max(frame - (gap - 1) // 2, first + 1), min(frame + gap // 2, last - 1)
    return (start, end) if start <= frame <= end else None


def _sampled_source(armature: bpy.types.Object, limbs: Sequence[LimbBones], options: Options) -> SampledAction:
    """Return the motion in which contacts are found: not a result's, whose feet stand where they were told to."""
    with nla.without_result(armature), on_source(armature):
        return sampled_action(armature, limbs, replace(options, frames=None))


def _new_span(tracks: Tracks, limb: int, free: BoolArray, at: int) -> Span:
    """Return where a contact round index ``at`` would be that detection has missed: as long as the toe is slow there.

    Where it is not slow, or for a moment only, the contact is as short as detection would let it be.
    """
    sampled = _sampled_source(tracks.armature, tracks.limbs, tracks.options)
    clip = sampled.sample.clip
    speed, limit = toe_speed(clip, sampled.sample.limbs[limb], sampled.ground, tracks.options.contacts)
    slow = free & (speed < limit)
    shortest = max(2, round(tracks.options.contacts.min_contact_time * clip.fps))
    first, last = _round(tracks.frames, slow, at) if slow[at] else (0, -1)
    if last - first + 1 >= shortest:
        return first, last
    frame = int(tracks.frames[at])
    first, last = _round(tracks.frames, free, at)
    start = min(max(frame - shortest // 2, first), max(last - shortest + 1, first))
    return start, min(start + shortest - 1, last)


def _given_back(tracks: Tracks, new: ForcedStates, inside: BoolArray) -> Contacts:
    """Return the contacts with found ones wherever something was set, or edited, and is not any longer."""
    old = tracks.contacts
    toe, heel = (
        inside & (before != State.AUTO) & (after == State.AUTO)
        for before, after in ((tracks.states.toe, new.toe), (tracks.states.heel, new.heel))
    )
    if not (toe.any() or heel.any()):
        return old
    found = found_contacts(_sampled_source(tracks.armature, tracks.limbs, tracks.options), tracks.options)
    return Contacts(
        np.where(toe, found.toe, old.toe),
        np.where(heel, found.heel, old.heel),
        np.where(toe | heel, found.foot_down, old.foot_down),
    )


def _round(frames: FloatArray, where: BoolArray, at: int) -> Span:
    """Return the first and last scene frame of the run of ``where`` that index ``at`` is in."""
    first, last = next((first, last) for first, last in runs(where) if first <= at <= last)
    return int(frames[first]), int(frames[last])
