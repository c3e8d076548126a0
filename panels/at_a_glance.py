# SPDX-License-Identifier: GPL-3.0-or-later
"""What the sidebar says in a line each, at its top and in headers of its sections. Cheap enough for every redraw."""

from __future__ import annotations

from typing import Any

from bpy.app.translations import pgettext_n as n_
from bpy.types import Action, Context, Object

from .. import settings
from ..operators import active
from ..operators.verb import counted, figure
from ..rig.common.wording import say
from ..rig.contacts.summary import count_of
from ..rig.curves.actions import source_of, start_of
from ..rig.gait.generate import GAIT_PROPERTY
from ..rig.shown.live_clean import live
from ..rig.shown.preview import preview
from ..rig.verbs.flip import result_of, shows_result
from ..rig.writing.one_result import VERB
from ..rig.writing.results import contacts_were_edited, figures_of
from ..solver.cleanup import CleanupSettings

CLEAN_FIRST = n_("Press Clean: legs and contacts are found on the way")
CLEAN_NOW = n_("Press Clean to make planted feet stand still")
CLEAN_AGAIN = n_("The contacts have changed: press Clean")

# Of a result whose motion is new, so that it is cleaned itself.
OF_TRAVEL = n_("Press Clean next: it keeps this travel and makes the feet stand")
OF_GROUND = n_("Compare with Source; where you edit contacts, press Clean after")


def limbs_line(armature: Object) -> str:
    """Return for instance ``2 legs``, ``2 legs, 1 hand``; empty where none are known."""
    limbs = settings.limb_bones(armature)
    hands = sum(limb.hand for limb in limbs)
    counts = ((len(limbs) - hands, "leg"), (hands, "hand"))
    return ", ".join(counted(number, what) for number, what in counts if number)


def armature_line(armature: Object, action: Action | None) -> str:
    """Return for instance ``Walker: 2 legs, 14 contacts``."""
    contacts = 0 if action is None else count_of(action)
    parts = [limbs_line(armature), counted(contacts, "contact") if contacts else ""]
    known = ", ".join(part for part in parts if part)
    return f"{armature.name}: {known}" if known else armature.name


def figures_line(action: Action) -> str:
    """Return how fast planted feet slide and how far the worst contact drifts; empty where that is not known."""
    figures = figures_of(action)
    before, after = figures.get("before", {}), figures.get("after", {})
    own = after or before
    speed, drift = own.get("slide_mm_s"), own.get("drift_mm")
    if speed is None or drift is None:
        return ""
    was = before.get("slide_mm_s") if after else None
    slide = figure(speed) if was is None else f"{figure(was)} → {figure(speed)}"
    return say("{slide} mm/s, worst contact {drift} mm", slide=slide, drift=figure(drift))


def next_step(armature: Object, action: Action) -> str:
    """Return what to press next, and why; empty where nothing is left to be done."""
    if live.trouble:
        return live.trouble
    if contacts_were_edited(action):
        return CLEAN_AGAIN
    source, cleaned = source_of(action), result_of(action)
    if cleaned is not None or action.get(GAIT_PROPERTY) is not None:
        return ""
    if source is not None and start_of(action) == action:
        return OF_GROUND if figures_of(action).get("after") else OF_TRAVEL
    if shows_result(armature):
        return ""
    return CLEAN_NOW if count_of(action) else CLEAN_FIRST


def result_label(action: Action | None) -> str:
    """Return what the side of the result is called: Clean, or what it is where something else made it."""
    if action is None or source_of(action) is None or result_of(action) is not None:
        return n_("Clean")
    return n_("Clean") if action.get(VERB) == "Clean" and start_of(action) != action else n_("Result")


def contacts_state(action: Action | None) -> str:
    """Return how many contacts there are, for the header of their section."""
    count = 0 if action is None else count_of(action)
    return str(count) if count else say("none yet")


def clean_state(own: Any) -> str:
    """Return how strongly is cleaned, or that other settings than usual are set."""
    usual = CleanupSettings()
    names = ("keep_travel", "smoothness", "softening")
    if own.strength == usual.strength and any(abs(getattr(own, name) - getattr(usual, name)) > 1e-6 for name in names):
        return say("changed")
    return say("strength {strength}", strength=f"{own.strength:.2g}")


def ground_state(own: Any) -> str:
    """Return what the feet stand on."""
    chosen = own.ground.object or own.ground.collection
    if chosen is not None:
        return str(chosen.name)
    return say("floor at {height} m", height=f"{own.ground_height:.2f}") if own.ground_height else say("floor")


def lock_state(armature: Object) -> str:
    """Return whether the lock is previewed."""
    return say("previewed") if preview.armature == armature.name else ""


def report_state(action: Action | None) -> str:
    """Return how far the worst contact drifts."""
    figures = {} if action is None else figures_of(action)
    drift = (figures.get("after") or figures.get("before") or {}).get("drift_mm")
    return "" if drift is None else say("worst {drift} mm", drift=figure(drift))


def clean_label(context: Context) -> str:
    """Return what the button Clean says: how many armatures it is about, where that is several."""
    count = len(active.armatures(context))
    return say("Clean") if count < 2 else say("Clean {count} Armatures", count=count)
