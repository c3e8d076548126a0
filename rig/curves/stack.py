# SPDX-License-Identifier: GPL-3.0-or-later
"""What an armature plays besides, or instead of, the action assigned to it: the strips of its NLA tracks.

Toehold puts a strip of its own on top of them: for a result, or for contacts alone, which have no other home there.
The action of such a strip is what the tools work on then, as they do on an assigned one elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import bpy

from ..common import versions

# The property of an action whose strip is Toehold's own, and what it is there for.
OWN_PROPERTY = "toehold_strip"
RESULT, CONTACTS = "RESULT", "CONTACTS"

# A strip this near, in frames, to where its action's keys are shows them on their own frames.
_SAME_FRAME = 1e-3


def plays_strips(armature: bpy.types.Object) -> bool:
    """Whether strips have a say in what is seen. Cheap enough to ask at every redraw."""
    return next(strips(armature), None) is not None


def has_a_solo_track(armature: bpy.types.Object) -> bool:
    """Whether one track is played alone, without what is above it."""
    return any(track.is_solo for track in armature.animation_data.nla_tracks)


def strips(armature: bpy.types.Object) -> Iterator[bpy.types.NlaStrip]:
    """Yield the strips that play, the lowest first; for a meta strip, itself."""
    animation = armature.animation_data
    if animation is None or not animation.use_nla:
        return
    alone = any(track.is_solo for track in animation.nla_tracks)
    for track in animation.nla_tracks:
        if track.is_solo if alone else not track.mute:
            yield from (strip for strip in track.strips if not strip.mute)


def played_actions(armature: bpy.types.Object) -> list[tuple[bpy.types.Action, bpy.types.ActionSlot | None]]:
    """Return the actions, with their slots, that are played together: those of strips, then the assigned one."""
    found = [(strip.action, strip.action_slot) for strip in _opened(strips(armature)) if strip.action is not None]
    animation = armature.animation_data
    if animation is not None and animation.action is not None:
        found.append((animation.action, animation.action_slot))
    return found


def _opened(some: Iterable[bpy.types.NlaStrip]) -> Iterator[bpy.types.NlaStrip]:
    """Yield strips, and of meta strips those inside."""
    for strip in some:
        if strip.type == "META":
            yield from _opened(one for one in strip.strips if not one.mute)
        else:
            yield strip


def own_track(armature: bpy.types.Object, purpose: str, muted_too: bool = False) -> bpy.types.NlaTrack | None:
    """Return the topmost track if it is Toehold's own, for this purpose; None where it is not, or plays nothing.

    A result that is muted, to see what is below, is taken for what it hides unless ``muted_too``.
    """
    animation = armature.animation_data
    if animation is None or not animation.use_nla or animation.use_tweak_mode:
        return None
    for track in reversed(animation.nla_tracks[:]):
        own = _purpose_of(track)
        if own == RESULT and track.mute and not muted_too:
            continue
        return track if own == purpose and (muted_too or not track.mute) else None
    return None


def _purpose_of(track: bpy.types.NlaTrack) -> str:
    """Return what a track of Toehold's own is there for; empty for others."""
    strip = track.strips[0] if len(track.strips) == 1 else None
    if strip is None or strip.action is None or strip.mute:
        return ""
    # One that a person has moved or stretched has its keys on other frames than those of the scene.
    return str(strip.action.get(OWN_PROPERTY, "")) if _is_in_place(strip) else ""


def _is_in_place(strip: bpy.types.NlaStrip) -> bool:
    moved = abs(strip.frame_start - strip.action_frame_start)
    return bool(moved < _SAME_FRAME and abs(strip.scale - 1.0) < 1e-6 and strip.repeat == 1.0 and not strip.use_reverse)


def action_in_hand(armature: bpy.types.Object) -> tuple[bpy.types.Action | None, bpy.types.ActionSlot | None]:
    """Return the action, and its slot, that the tools work on. Cheap enough to ask at every redraw."""
    animation = armature.animation_data
    if animation is None:
        return None, None
    own = own_track(armature, CONTACTS)
    if own is None and animation.action is None:
        own = own_track(armature, RESULT)
    if own is not None:
        return own.strips[0].action, own.strips[0].action_slot
    return animation.action, animation.action_slot


def channelbag_in_hand(armature: bpy.types.Object) -> bpy.types.ActionChannelbag | None:
    """Return what holds the curves of the action that the tools work on; None where there is none."""
    action, slot = action_in_hand(armature)
    return None if action is None or slot is None else versions.channelbag_of(action, slot)
