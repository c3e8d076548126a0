# SPDX-License-Identifier: GPL-3.0-or-later
"""What the feet of an armature do in its action, and markers for it in the timeline."""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from ...solver import engine_events, locking
from ...solver.contacts import Contacts
from ...solver.engine_events import FootData
from ..curves.actions import refuse_uneditable
from ..curves.channels import active_action
from ..legs.limb_bones import LimbBones
from .journey import Options, measure

# What a marker says after the limb's name.
MARKED = {"strike": "Strike", "off": "Off"}


def footsteps_of(
    armature: bpy.types.Object, limbs: Sequence[LimbBones], options: Options, contacts: Contacts | None = None
) -> FootData:
    """Return what the feet do in the active action, locked as the settings say; nothing is changed."""
    measured = measure(armature, limbs, options, contacts)
    clip, found = measured.sample.clip, measured.sample.limbs
    locked = locking.run(clip, found, measured.contacts, measured.ground, options.lock).locked
    return FootData(
        name=active_action(armature).name,
        fps=clip.fps,
        limbs=tuple(limb.name for limb in limbs),
        frames=tuple(round(frame) for frame in measured.sample.frames.tolist()),
        contacts=measured.contacts.toe,
        speed=engine_events.root_speed(clip, found, measured.ground),
        foot_speed=engine_events.foot_speeds(clip, found, measured.ground),
        spans=tuple(engine_events.foot_spans(clip, found, measured.contacts, measured.ground, locked)),
    )


def mark_footsteps(scene: bpy.types.Scene, steps: FootData) -> int:
    """Put a marker into the timeline wherever a foot strikes and leaves, in place of earlier ones; return how many.

    Raises RigError where the scene cannot be changed.
    """
    refuse_uneditable(scene)
    ours = {f"{limb} {said}" for limb in steps.limbs for said in MARKED.values()}
    markers = scene.timeline_markers
    for marker in [marker for marker in markers if marker.name in ours]:
        markers.remove(marker)
    marked = [event for event in steps.events if event.kind in MARKED]
    for event in marked:
        markers.new(f"{steps.limbs[event.limb]} {MARKED[event.kind]}", frame=steps.frames[event.frame])
    return len(marked)
