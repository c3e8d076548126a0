# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user can do in Blender about each warning, and the one line that a verb ends in where it has some."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bpy.app.translations import pgettext_n as n_
from bpy.types import Action, Object

from .. import settings
from ..rig.common.warnings import Warning
from ..rig.common.wording import say
from ..rig.verbs import checks
from ..rig.writing.results import warnings_of

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import WmReportItems

# Code to what to do about it, if there is something.
WAYS = {
    "no-contacts": n_("raise Toe Speed, or check the legs"),
    "treadmill-without-contacts": n_("raise Toe Speed, or check the legs"),
    "other-slot": n_("choose that slot"),
    "limb-unsure": n_("check its bones in Limbs"),
    "limb-hands-carry": n_("remove it from Limbs if it is not to be held to the ground"),
    "limb-hands-touch": n_("find them too if they carry"),
    "limb-only-one": n_("add the others in Limbs"),
    "no-hands": n_("add them in Limbs"),
    "odd-unit": n_("set the scene's Unit Scale, or scale the armature"),
    "slow-frames": n_("set the scene's frame rate to it"),
    "ground-refused": n_("set its Walk On to Ground"),
    "broken-motion": n_("look whether these frames belong to it"),
    "other-floor": n_("set Ground Height to it if that is right"),
    "beside-ground": n_("choose more ground objects, or move them there"),
    "steep-ground": n_("the ground is taken for level there"),
    "deep-in-ground": n_("use Adapt to Ground first"),
    "out-of-reach": n_("lower Keep Travel, or check the contact"),
    "sharper": n_("look at the contacts where they land and leave, and lift those that do not stand"),
    "more-slide": n_("check the contact, or lower Keep Travel"),
}

# Where nothing stands there is nothing to say of how it stands.
WITHOUT_CONTACTS = ("no-contacts", "treadmill-without-contacts")

# The most warnings that fit in the one line; the panel has all of them.
_IN_THE_LINE = 2


def advice(warning: Warning) -> str:
    """Return what a warning says, and what can be done about it."""
    way = WAYS.get(warning.code)
    return warning.text() if way is None else say("{warning}: {way}", warning=warning.text(), way=say(way))


def shown_warnings(armature: Object, action: Action | None) -> list[Warning]:
    """Return the warnings of an armature's slot and limbs, then those that its action remembers: for every redraw."""
    remembered = () if action is None else warnings_of(action)
    return [*checks.of_slot(armature), *settings.limb_warnings(armature), *remembered]


def with_warnings(line: str, warnings: Sequence[Warning]) -> tuple[WmReportItems, str]:
    """Return how serious an outcome is, and its line with what a user should know besides."""
    if not warnings:
        return "INFO", line
    told = [advice(warning) for warning in warnings[:_IN_THE_LINE]]
    # Without contacts there are no figures.
    if any(warning.code in WITHOUT_CONTACTS for warning in warnings):
        line, told = told[0][0].upper() + told[0][1:], told[1:]
    more = len(warnings) - _IN_THE_LINE
    if more > 0:
        told.append(say("{count} more in the panel", count=more))
    return "WARNING", "; ".join([line, *told])
