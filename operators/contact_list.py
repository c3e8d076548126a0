# SPDX-License-Identifier: GPL-3.0-or-later
"""The contacts of an action with their figures, kept on the action for the panel to list (``Action.toehold``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from bpy.types import Action, Context, Object, PropertyGroup

from ..rig.legs.limb_bones import LimbBones
from ..rig.review.selection import select_only
from ..rig.sampling.sample import Sample
from ..rig.shown.live_clean import live
from ..rig.verbs.checks import OF_MOTION
from ..rig.verbs.flip import remember_result
from ..rig.verbs.journey import Cleaned, Measured
from ..rig.verbs.listing import ListedContact, listed, suspect_spans
from ..rig.writing.results import remember_new_figures
from ..settings import journey_options
from ..settings.properties import BoolProperty, CollectionProperty, FloatProperty, IntProperty, StringProperty
from ..solver.metrics import Report
from . import active


def _go_to_contact(group: Any, context: Context) -> None:
    """Go to the first frame of the contact that was clicked, with its bone selected."""
    armature, scene = active.active_armature(context), context.scene
    if armature is None or scene is None or not 0 <= group.active < len(group.contacts):
        return
    contact = group.contacts[group.active]
    select_only(armature, contact.bone)
    scene.frame_set(contact.first)


class ToeholdContact(PropertyGroup):
    """One contact: ListedContact as Blender stores it."""

    limb: StringProperty(name="Leg", description="The leg that stands")  # type: ignore[valid-type]
    bone: StringProperty(name="Bone", description="The bone of the point that is planted")  # type: ignore[valid-type]
    kind: StringProperty(name="Point", description="The toe, or the heel where it alone stands")  # type: ignore[valid-type]
    first: IntProperty(name="First Frame", description="First frame of the contact")  # type: ignore[valid-type]
    last: IntProperty(name="Last Frame", description="Last frame of the contact")  # type: ignore[valid-type]
    by_hand: BoolProperty(  # type: ignore[valid-type]
        name="Set by Hand",
        description="Set or edited by a person, not found by detection",
    )
    drift_mm: FloatProperty(  # type: ignore[valid-type]
        name="Drift",
        description="How far the planted point gets from its mean place, in millimetres",
    )
    slide_mm_s: FloatProperty(  # type: ignore[valid-type]
        name="Slide",
        description="How fast the planted point gets over its ground, in millimetres a second",
    )
    unreached_mm: FloatProperty(  # type: ignore[valid-type]
        name="Out of Reach",
        description="How far the leg stayed from where the foot was to be, in millimetres",
    )


class ToeholdSuspect(PropertyGroup):
    """A span that looks like a stance and is not called a contact, see rig/verbs/listing.py."""

    limb: StringProperty(name="Leg", description="The leg that may stand")  # type: ignore[valid-type]
    first: IntProperty(name="First Frame", description="First frame in which it may stand")  # type: ignore[valid-type]
    last: IntProperty(name="Last Frame", description="Last frame in which it may stand")  # type: ignore[valid-type]


class ToeholdContactList(PropertyGroup):
    """The contacts of an action, the one that drifts most first, and what may be contacts too."""

    contacts: CollectionProperty(  # type: ignore[valid-type]
        type=ToeholdContact,
        name="Contacts",
        description="The contacts of the action when it was measured, the worst first",
    )
    suspects: CollectionProperty(  # type: ignore[valid-type]
        type=ToeholdSuspect,
        name="Suspects",
        description="Frames in which a foot may stand and is not called planted",
    )
    active: IntProperty(  # type: ignore[valid-type]
        name="Contact",
        description="Click a contact to go to its first frame, with its bone selected",
        update=_go_to_contact,
    )


# In the order that Blender has to learn them.
CLASSES = (ToeholdContact, ToeholdSuspect, ToeholdContactList)


def keep_contacts(action: Action, report: Report, sample: Sample) -> None:
    """Keep the contacts of a report with its action, in place of those that were there; a linked one can keep none."""
    if not action.is_editable:
        return
    stored = _list_of(action).contacts
    stored.clear()
    for contact in listed(action, report, sample):
        item = stored.add()
        for field in fields(ListedContact):
            setattr(item, field.name, getattr(contact, field.name))


def keep_cleaned(cleaned: Cleaned) -> None:
    """Keep the contacts of a result with it, and those of its source, with its figures, with the source."""
    keep_contacts(cleaned.result, cleaned.after, cleaned.sample)
    if cleaned.source.is_editable:
        keep_contacts(cleaned.source, cleaned.before, cleaned.sample)
        of_source = [warning for warning in cleaned.warnings if warning.code in OF_MOTION]
        remember_new_figures(cleaned.source, cleaned.before, of_source)
        remember_result(cleaned.source, cleaned.result)


def let_pose_follow(armature: Object, limbs: Sequence[LimbBones]) -> None:
    """Let the result of Clean that an armature shows follow contacts that have just been changed, where it is quick."""
    live.contacts_changed(armature, limbs, journey_options(armature))


def keep_suspects(action: Action, armature: Object, limbs: Sequence[LimbBones], found: Measured | Cleaned) -> None:
    """Keep what may be contacts too of a motion that was measured, in place of what was there."""
    if not action.is_editable:
        return
    stored = _list_of(action).suspects
    stored.clear()
    spans = suspect_spans(
        armature, limbs, found.sample, found.contacts, found.ground, journey_options(armature).contacts
    )
    for limb, of_limb in zip(limbs, spans, strict=True):
        for first, last in of_limb:
            item = stored.add()
            item.limb, item.first, item.last = limb.name, first, last


def drop_suspects(action: Action | None, limb: str, first: int, last: int) -> None:
    """Take from the list what may be a contact of a limb and touches a span that a person has now decided on."""
    if action is None or not action.is_editable:
        return
    stored = _list_of(action).suspects
    for at in reversed(range(len(stored))):
        if stored[at].limb == limb and stored[at].first <= last and first <= stored[at].last:
            stored.remove(at)


def contacts_of(action: Action) -> list[ListedContact]:
    """Return the contacts kept with an action."""
    names = [field.name for field in fields(ListedContact)]
    return [ListedContact(**{name: getattr(item, name) for name in names}) for item in _list_of(action).contacts]


def _list_of(action: Any) -> Any:
    # Any, since the stubs know only Blender's own properties of an action.
    return action.toehold
