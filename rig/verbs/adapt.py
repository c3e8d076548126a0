# SPDX-License-Identifier: GPL-3.0-or-later
"""An action that was made for a flat floor, brought onto the objects that stand in its way, in a new action."""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from ...solver import cleanup, terrain
from ...solver.contacts import Contacts
from ...solver.detection import find_contacts
from ...solver.ground import FlatGround
from ...solver.terrain import TerrainSettings
from ..common.scene import report_of
from ..common.wording import RigError
from ..contacts.contact_curves import read_contacts, write_contacts
from ..curves import actions
from ..curves.channels import active_action
from ..legs.limb_bones import LimbBones
from ..sampling.sample import Sample, sample
from ..terrain.ground import ObjectGround, ground_of
from ..writing import results
from ..writing.nla import over_strips
from ..writing.write_controls import write_as_animated
from .journey import Cleaned, Options, with_warnings


@over_strips
def adapt(
    armature: bpy.types.Object, limbs: Sequence[LimbBones], options: Options, contacts: Contacts | None = None
) -> Cleaned:
    """Bring the active action onto ``options.ground_objects``, in a new action that is assigned.

    A standing foot turns by ``options.cleanup.foot_pitch`` of the slope under it. Both figures are on that ground.

    contacts : over all of it; None for those of the action's curves, or else newly found ones.

    Raises
    ------
    RigError
        Where there is nothing to stand on, or the armature cannot be changed. Nothing has been changed then.
    """
    source = active_action(armature)
    motion = sample(armature, limbs)
    clip, legs = motion.clip, motion.limbs
    ground = ground_of(options.ground_objects, options.ground_height, motion)
    if not isinstance(ground, ObjectGround):
        raise RigError("there is no ground to adapt to: choose an object or a collection as the ground")
    if contacts is None:
        contacts = _contacts(armature, limbs, motion, options)
    how = TerrainSettings(options.cleanup.foot_pitch, options.ground_height)
    placed = terrain.adapted(clip, legs, contacts, ground, how)
    result_clip, solution = cleanup.clean(placed, legs, contacts, ground, options.cleanup)
    result, shown = write_as_animated(armature, motion, result_clip, f"{source.name} On Ground")
    after = report_of(shown, legs, contacts, ground, clip, solution.toe_targets)
    result[actions.NEW_MOTION_PROPERTY] = source
    write_contacts(armature, result, limbs, contacts, motion.frames)
    before = report_of(clip, legs, contacts, ground)
    made = with_warnings(Cleaned(source, result, motion, shown, contacts, before, after, ground), options)
    results.remember_figures(result, before, after, made.warnings)
    return made


def _contacts(armature: bpy.types.Object, limbs: Sequence[LimbBones], motion: Sample, options: Options) -> Contacts:
    """Return the contacts of the action's curves, else those found on the floor that it was made for."""
    stored = read_contacts(armature, limbs, motion.frames)
    if stored is not None:
        return stored
    return find_contacts(motion.clip, motion.limbs, FlatGround(options.ground_height), options.contacts)
