# SPDX-License-Identifier: GPL-3.0-or-later
"""Between a result and the action that it was made from, there and back, losing neither."""

from __future__ import annotations

import bpy

from ..common.wording import RigError
from ..contacts.shared import hand_over
from ..curves import actions, stack
from ..curves.channels import active_action
from ..writing import nla


def flip(armature: bpy.types.Object) -> bpy.types.Action:
    """Give the armature the source of its result, or the result that it came from, and return it.

    Where the source remembers no result (it was assigned by hand), its newest one is taken.

    Raises
    ------
    RigError
        Where the active action is neither a result nor has one, or the armature cannot be changed.
    """
    return show(armature, result=not shows_result(armature))


def show(armature: bpy.types.Object, *, result: bool) -> bpy.types.Action:
    """Give the armature its result, or what that was made from, and return it; nothing where that is shown already.

    Raises
    ------
    RigError
        As ``flip`` does.
    """
    if shows_result(armature) != result:
        over_strips = nla.flip(armature)
        if over_strips is not None:
            return over_strips
    active = active_action(armature)
    if shows_result(armature) == result:
        return active
    hand_over(armature)
    if result:
        other = result_of(active) or _newest_result(active)
    else:
        other = actions.source_of(active)
        if other is not None:
            remember_result(other, active)
    if other is None:
        raise RigError('action "{action}" has no result to show: clean it first', action=active.name)
    # Nothing else may hold on to the one that is left.
    active.use_fake_user = active.use_fake_user or active.is_editable
    actions.assign(armature, other)
    return other


def shows_result(armature: bpy.types.Object) -> bool:
    """Whether a result is shown, and not what it was made from. Cheap enough to ask at every redraw.

    A result with travel of its own that was cleaned itself is a source.
    """
    track = stack.own_track(armature, stack.RESULT, muted_too=True)
    animation = armature.animation_data
    if track is not None and animation.action is None:
        return not track.mute
    action, _ = stack.action_in_hand(armature)
    if action is None or (actions.source_of(action) is None and not actions.lost_its_source(action)):
        return False
    return actions.start_of(action) != action or result_of(action) is None


def restore_source(armature: bpy.types.Object) -> bpy.types.Action | None:
    """Put the action back that the active one was made from, and return it. The result stays in the file.

    Where that was made of NLA strips, they are played as they were before; None where no action is assigned then.
    """
    result = active_action(armature)
    source = actions.source_of(result)
    hand_over(armature)
    if nla.is_on_strips(armature, result):
        result.use_fake_user = True
        nla.put_back(armature)
        return armature.animation_data.action
    if actions.lost_its_source(result):
        raise RigError('the action that "{action}" was made from is not in this file any more', action=result.name)
    if source is None:
        raise RigError(
            'action "{action}" was not made by Toehold: there is no source to go back to', action=result.name
        )
    result.use_fake_user = True
    actions.assign(armature, source)
    return source


def remember_result(source: bpy.types.Action, result: bpy.types.Action) -> None:
    """Make ``source`` remember which of its results is shown; one that is linked can not."""
    if source.is_editable and result_of(source) != result:
        source[actions.RESULT_PROPERTY] = result


def result_of(source: bpy.types.Action) -> bpy.types.Action | None:
    """Return the result that ``source`` remembers; None where it is gone. Cheap enough to ask at every redraw."""
    result = source.get(actions.RESULT_PROPERTY)
    # A copy of a source is not what the result was made from.
    return result if isinstance(result, bpy.types.Action) and actions.source_of(result) == source else None


def _newest_result(source: bpy.types.Action) -> bpy.types.Action | None:
    results = [action for action in bpy.data.actions if actions.source_of(action) == source]
    return max(results, key=lambda action: action.session_uid, default=None)
