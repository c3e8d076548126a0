# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves that repeat for ever, while something is made that does not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import bpy

from ..common import versions
from . import actions
from .channels import active_action


@contextmanager
def taken_off(armature: bpy.types.Object) -> Iterator[None]:
    """Let the armature play its action without its cycles until the block ends, which assigns another one.

    Where the block fails, the action is assigned again as it was.
    """
    source = active_action(armature)
    channelbag = versions.assigned_channelbag(armature)
    curves: list[bpy.types.FCurve] = [] if channelbag is None else list(channelbag.fcurves)
    if not any(modifier.type == "CYCLES" for curve in curves for modifier in curve.modifiers):
        yield
        return
    once = source.copy()
    assert once is not None
    try:
        actions.assign(armature, once)
        own = versions.assigned_channelbag(armature)
        for curve in [] if own is None else own.fcurves:
            for modifier in [one for one in curve.modifiers if one.type == "CYCLES"]:
                curve.modifiers.remove(modifier)
        yield
    except BaseException:
        actions.assign(armature, source)
        raise
    finally:
        bpy.data.actions.remove(once)
