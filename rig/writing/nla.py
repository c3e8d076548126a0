# SPDX-License-Identifier: GPL-3.0-or-later
"""Work on what NLA strips show: as on one action while it is done; then its result is a strip on top, or that action.

Nothing of the strips that were there is touched. What is made remembers which action was assigned before, so that it
can be taken away again.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Concatenate, Literal, ParamSpec, TypeVar

import bpy
import numpy as np

from ..common import versions
from ..common.steps import Steps, finished, share
from ..common.wording import RigError
from ..curves import actions, baked, keys, stack
from ..curves.channels import (
    active_action,
    key_coordinates,
    keyed_frames,
    motion_range,
    refuse_strips_of_others,
)
from . import flat_action

P = ParamSpec("P")
T = TypeVar("T")

# Where a result goes: on a strip over the others, or it is assigned and the strips are switched off.
Kept = Literal["STRIP", "ACTION"]

# How much of the work is done when the strips have been made one action.
FLATTENED = 0.4

# What an action over strips remembers of before: the action that was assigned, if any, and the name of its slot.
BEFORE, SLOT_BEFORE = "toehold_before_strips", "toehold_slot_before_strips"

# What a result on a strip remembers of it. JSON: [first frame, last frame, extrapolation].
PLACE = "toehold_strip_place"


def in_one_action(
    armature: bpy.types.Object,
    work: Callable[[], Steps[T]],
    kept: Kept = "STRIP",
    frames: tuple[int, int] | None = None,
    again: bool = False,
) -> Steps[T]:
    """Do work that makes a new action of the assigned one; where strips are played, of all that they show.

    frames : first and last scene frame that the result's strip is for; None for all.
    again : whether the work is done from the start, so that what it made before is taken away first.

    Raises
    ------
    RigError
        Where the work raises it, or no strip can be put on top. All is as it was then, as where it is closed early.
    """
    if not stack.plays_strips(armature):
        return (yield from work())
    _refuse(armature, kept)
    action, slot = stack.action_in_hand(armature)
    contacts = None if action is None or slot is None else (action, slot)
    track = stack.own_track(armature, stack.RESULT, muted_too=True) if again else None
    was_muted, taken_away = track is not None and track.mute, None
    if track is not None and _is_made_again(track):
        taken_away = put_back(armature, muted_too=True)
    assigned = armature.animation_data.action, armature.animation_data.action_slot
    flat: bpy.types.Action | None = None
    try:
        span = motion_range(armature)
        if span is None:
            raise RigError('"{armature}" plays NLA strips without keys: use others', armature=armature.name)
        flat = yield from share(flat_action.flattened(armature, span, contacts), 0.0, FLATTENED)
        _remember(flat, *assigned)
        _assign(armature, flat, flat.slots[0])
        armature.animation_data.use_nla = False
        made = yield from share(work(), FLATTENED, 1.0)
        if kept == "STRIP":
            result = active_action(armature)
            _show_strips(armature, *assigned)
            _put_on_top(armature, result, flat, span, frames or span)
        return made
    except BaseException:
        _show_strips(armature, *assigned)
        if flat is not None:
            bpy.data.actions.remove(flat)
        if taken_away is not None:
            _add_strip(armature, taken_away).mute = was_muted
        raise


def over_strips(verb: Callable[Concatenate[bpy.types.Object, P], T]) -> Callable[Concatenate[bpy.types.Object, P], T]:
    """Let a verb that makes a new action of an armature's assigned one work on what NLA strips show as well."""

    @functools.wraps(verb)
    def on_all_that_is_seen(armature: bpy.types.Object, /, *args: P.args, **kwargs: P.kwargs) -> T:
        def work() -> Steps[T]:
            yield 0.0
            return verb(armature, *args, **kwargs)

        return finished(in_one_action(armature, work))

    return on_all_that_is_seen


def remembers_strips(action: bpy.types.Action | None) -> bool:
    """Whether an action was made of strips, to which there is a way back. Cheap enough to ask at every redraw."""
    return action is not None and action.get(SLOT_BEFORE) is not None


def has_to_do_with_strips(armature: bpy.types.Object) -> bool:
    """Whether strips are played, or what is played was made of them. Cheap enough to ask at every redraw."""
    return stack.plays_strips(armature) or remembers_strips(stack.action_in_hand(armature)[0])


def is_on_strips(armature: bpy.types.Object, result: bpy.types.Action) -> bool:
    """Whether ``result``, the active one, was made of strips, so that without it they are played."""
    source = actions.source_of(result)
    made_of_them = source is None or actions.source_of(source) is None
    return remembers_strips(result) and (made_of_them or stack.own_track(armature, stack.RESULT) is not None)


def put_back(armature: bpy.types.Object, muted_too: bool = False) -> bpy.types.Action | None:
    """Let strips be played as they were before the active result; return it. None where it is no result over strips.

    muted_too : whether a result on top of them counts that is not seen now.
    """
    track = stack.own_track(armature, stack.RESULT, muted_too)
    result = stack.action_in_hand(armature)[0] if track is None else track.strips[0].action
    if result is None or not remembers_strips(result):
        return None
    tracks = armature.animation_data.nla_tracks
    before = result.get(BEFORE)
    if track is not None:
        tracks.remove(track)
        pushed = tracks[-1] if len(tracks) else None
        if before is not None and pushed is not None and [strip.action for strip in pushed.strips] == [before]:
            tracks.remove(pushed)
    slot = before.slots.get(result[SLOT_BEFORE]) if before is not None else None
    _show_strips(armature, before, slot)
    baked.put_to_rest(armature, result)
    return result


def home_of_contacts(armature: bpy.types.Object) -> bpy.types.Action:
    """Return the action that contacts are written into: over strips one of a strip of its own, made where missing."""
    action, _ = stack.action_in_hand(armature)
    is_own = action is not None and action.get(stack.OWN_PROPERTY) is not None
    if is_own or not stack.plays_strips(armature):
        return active_action(armature)
    actions.refuse_uneditable(armature)
    actions.refuse_tweak_mode(armature)
    frames = keyed_frames(armature)
    home, _, _ = flat_action.new_action(armature, f"{armature.name} Contacts")
    home[stack.OWN_PROPERTY] = stack.CONTACTS
    home[PLACE] = json.dumps([int(frames[0]), int(frames[-1]), "NOTHING"])
    _add_strip(armature, home)
    return home


def flip(armature: bpy.types.Object) -> bpy.types.Action | None:
    """Show strips without the result on top of them, or with it again; return what is shown, None where there is none.

    What is seen without it is the action that the result was made from.
    """
    track = stack.own_track(armature, stack.RESULT, muted_too=True)
    if track is None or armature.animation_data.action is not None:
        return None
    track.mute = not track.mute
    result = track.strips[0].action
    assert result is not None
    return actions.source_of(result) if track.mute else result


@contextmanager
def without_result(armature: bpy.types.Object) -> Iterator[None]:
    """Show strips without the result on top of them, if there is one, until the block ends."""
    track = stack.own_track(armature, stack.RESULT)
    if track is None or not _is_made_again(track):
        yield
        return
    track.mute = True
    try:
        yield
    finally:
        track.mute = False


def _refuse(armature: bpy.types.Object, kept: Kept) -> None:
    actions.refuse_uneditable(armature)
    actions.refuse_tweak_mode(armature)
    refuse_strips_of_others(armature)
    if kept == "STRIP" and stack.has_a_solo_track(armature):
        raise RigError(
            '"{armature}" plays one NLA track solo, over which no strip is seen: switch its star off, or choose '
            "One Action as the result",
            armature=armature.name,
        )


def _is_made_again(track: bpy.types.NlaTrack) -> bool:
    """Whether the result on a track is made from the start again, not of what it shows itself."""
    result = track.strips[0].action
    return result is not None and actions.start_of(result) != result


def _assign(armature: bpy.types.Object, action: bpy.types.Action | None, slot: bpy.types.ActionSlot | None) -> None:
    armature.animation_data.action = action
    if action is not None:
        armature.animation_data.action_slot = slot


def _show_strips(
    armature: bpy.types.Object, action: bpy.types.Action | None, slot: bpy.types.ActionSlot | None
) -> None:
    """Play strips, and over them the action that was assigned."""
    armature.animation_data.use_nla = True
    _assign(armature, action, slot)


def _remember(flat: bpy.types.Action, action: bpy.types.Action | None, slot: bpy.types.ActionSlot | None) -> None:
    flat[SLOT_BEFORE] = "" if slot is None else slot.identifier
    if action is not None:
        flat[BEFORE] = action


def _place(span: tuple[int, int], frames: tuple[int, int]) -> tuple[int, int, str]:
    """Return first and last frame of a strip for these frames, and what it does beyond them.

    Where the motion ends with it, it goes on as a result that is assigned does; else the strips below are seen.
    """
    first, last = max(span[0], frames[0]), min(span[1], frames[1])
    if last < span[1]:
        return first, last, "NOTHING"
    return first, last, "HOLD" if first == span[0] else "HOLD_FORWARD"


def _put_on_top(
    armature: bpy.types.Object,
    result: bpy.types.Action,
    flat: bpy.types.Action,
    span: tuple[int, int],
    frames: tuple[int, int],
) -> None:
    """Put a result, of which only what differs from the strips is left, on a strip over them."""
    place = _place(span, frames)
    channelbag = versions.channelbag_of(result, result.slots[0])
    source = versions.channelbag_of(flat, flat.slots[0])
    assert channelbag is not None
    assert source is not None
    before = {curve: source.fcurves.find(curve.data_path, index=curve.array_index) for curve in channelbag.fcurves}
    changed = {curve.data_path for curve, own in before.items() if own is None or _differ(own, curve)}
    if any(own is None for curve, own in before.items() if not flat_action.is_of_contacts(curve.data_path)):
        # Where no strip animates a channel, it would keep the last value that ours has given it.
        place = _place(span, span)
    for curve in list(channelbag.fcurves):
        if flat_action.is_of_contacts(curve.data_path):
            continue
        if curve.data_path in changed:
            _keep(curve, place[0], place[1])
        else:
            channelbag.fcurves.remove(curve)
    for group in [group for group in channelbag.groups if not len(group.channels)]:
        channelbag.groups.remove(group)
    result[stack.OWN_PROPERTY] = stack.RESULT
    result[PLACE] = json.dumps(place)
    _add_strip(armature, result)


def _differ(one: bpy.types.FCurve, other: bpy.types.FCurve) -> bool:
    return not np.array_equal(key_coordinates(one), key_coordinates(other))


def _keep(curve: bpy.types.FCurve, first: int, last: int) -> None:
    """Keep only the keys of these frames."""
    at = key_coordinates(curve)
    inside = (at[:, 0] >= first) & (at[:, 0] <= last)
    if not inside.all():
        keys.set_keys(curve, at[inside, 0], at[inside, 1], interpolation="LINEAR", type="GENERATED")


def _add_strip(armature: bpy.types.Object, action: bpy.types.Action) -> bpy.types.NlaTrack:
    """Put an action on a strip of a track of its own, over all others and over the assigned action."""
    animation = armature.animation_data
    if animation.action is not None and action[stack.OWN_PROPERTY] == stack.RESULT:
        _push_down(armature)
    first, last, extrapolation = json.loads(action[PLACE])
    track = animation.nla_tracks.new(prev=None)
    track.name = "Toehold"
    strip = track.strips.new(action.name, first, action)
    strip.action_slot = action.slots[0]
    _cover(strip, first, last)
    strip.blend_type, strip.extrapolation = "REPLACE", extrapolation
    return track


def _push_down(armature: bpy.types.Object) -> None:
    """Put the assigned action on a strip, over which another one can be; it is seen as before wherever it was."""
    animation = armature.animation_data
    action, slot, scene = animation.action, animation.action_slot, bpy.context.scene
    assert action is not None
    first, last = (int(frame) for frame in action.frame_range)
    if animation.action_extrapolation != "NOTHING":
        last = max(last, scene.frame_end)
    if animation.action_extrapolation == "HOLD":
        first = min(first, scene.frame_start)
    animation.action = None
    track = animation.nla_tracks.new(prev=None)
    track.name = action.name
    strip = track.strips.new(action.name, first, action)
    strip.action_slot = slot
    _cover(strip, first, last)
    strip.blend_type, strip.extrapolation = animation.action_blend_type, animation.action_extrapolation
    if animation.action_influence < 1.0:
        # Blender sets a strip's influence itself where it has no curve.
        strip.use_animated_influence = True
        curve = strip.fcurves.find("influence")
        assert curve is not None
        keys.set_keys(curve, np.array([float(first)]), np.array([animation.action_influence]))


def _cover(strip: bpy.types.NlaStrip, first: int, last: int) -> None:
    """Let a strip show its action's keys on their own frames, from first to last."""
    strip.use_sync_length = False
    last = max(last, first + 1)
    # Each is held within what the others are, so that the wider range comes first.
    strip.action_frame_end, strip.action_frame_start = max(last, int(strip.action_frame_end)), first
    strip.action_frame_end = last
    strip.frame_end = max(last, int(strip.frame_end))
    strip.frame_start, strip.frame_end = first, last
    strip.scale = 1.0
