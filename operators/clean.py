# SPDX-License-Identifier: GPL-3.0-or-later
"""Make planted feet stand still, in a new action."""

from __future__ import annotations

from dataclasses import fields, replace

from bpy.types import Context, Object

from .. import settings
from ..rig.common.steps import Steps, share
from ..rig.common.wording import RigError, said, say
from ..rig.verbs import journey
from ..rig.writing import nla
from ..settings.properties import BoolProperty, EnumProperty
from ..solver.cleanup import CleanupSettings
from . import active
from .contact_list import keep_cleaned, keep_suspects
from .long_verb import LongVerb, Reported
from .verb import contacts_on_limbs, figure, keep_legs, legs_at_hand
from .warned import with_warnings


class Clean(settings.CleanupValues, LongVerb):
    """Make planted feet stand still, in a new action. The action that was there is kept as it is"""

    bl_idname = "toehold.clean"
    bl_label = "Clean"

    over_strips: EnumProperty(  # type: ignore[valid-type]
        name="Result",
        description="Where the result goes when NLA strips are cleaned. The strips are left as they are either way",
        items=[
            ("STRIP", "Strip on Top", "A new strip on a track of its own, over all that is there"),
            ("ACTION", "One Action", "One action of all that is seen, with the NLA tracks switched off"),
        ],
        default="STRIP",
        options={"SKIP_SAVE"},
    )

    all_selected: BoolProperty(  # type: ignore[valid-type]
        name="All Selected",
        description="Clean every armature that is selected, each with its own settings, and not the active one alone",
        default=True,
        options={"SKIP_SAVE"},
    )

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_new_action(context)

    def steps(self, context: Context, armature: Object) -> Steps[Reported]:
        given = self._take_unset_values_from(armature)
        others = [other for other in active.armatures(context) if other != armature] if self.all_selected else []
        if not others:
            return (yield from self._one(armature, given))
        return (yield from self._each([armature, *others], given))

    def _one(self, armature: Object, given: dict[str, float]) -> Steps[Reported]:
        cleaned = yield from self._cleaned(armature, given)
        limbs, before, after = settings.limb_bones(armature), cleaned.before, cleaned.after
        line = say(
            "Cleaned {contacts}, slide {before} → {after} mm/s",
            contacts=contacts_on_limbs(after, limbs),
            before=figure(before.slide_mm_s),
            after=figure(after.slide_mm_s),
        )
        return with_warnings(line, cleaned.warnings)

    def _each(self, armatures: list[Object], given: dict[str, float]) -> Steps[Reported]:
        """Clean one armature after the other; what one is refused for is told, and the others are cleaned."""
        count, refused, warned, slides = len(armatures), [], [], []
        for at, armature in enumerate(armatures):
            reason = active.why_no_legs_of(armature) or active.why_no_motion_of(armature)
            if reason is not None:
                refused.append(f"{armature.name}: {say(reason)}")
                continue
            try:
                cleaned = yield from share(self._cleaned(armature, given), at / count, (at + 1) / count)
            except RigError as error:
                refused.append(f"{armature.name}: {said(error)}")
                continue
            slides.append((cleaned.before.slide_mm_s, cleaned.after.slide_mm_s))
            self.stays = say("{count} of {all} armatures are cleaned", count=len(slides), all=count)
            if cleaned.warnings:
                warned.append(armature.name)
        if not slides:
            raise RigError("none of them can be cleaned: {reasons}", reasons="; ".join(refused))
        before, after = (figure(max(of_side)) for of_side in zip(*slides, strict=True))
        told = [
            say(
                "Cleaned {count} of {all} armatures, worst slide {before} → {after} mm/s",
                count=len(slides),
                all=count,
                before=before,
                after=after,
            )
        ]
        if warned:
            told.append(say("there are warnings for {names}", names=", ".join(warned)))
        return "WARNING" if refused or warned else "INFO", "; ".join([*told, *refused])

    def _cleaned(self, armature: Object, given: dict[str, float]) -> Steps[journey.Cleaned]:
        limbs = legs_at_hand(armature)
        options = settings.journey_options(armature)
        options = replace(options, cleanup=replace(options.cleanup, **given), over_strips=self.over_strips)
        cleaned = yield from journey.clean_in_steps(armature, limbs, options)
        keep_legs(armature, limbs)
        keep_cleaned(cleaned)
        keep_suspects(cleaned.result, armature, limbs, cleaned)
        return cleaned

    def draw(self, context: Context) -> None:
        layout = self.layout
        assert layout is not None
        layout.use_property_split = True
        for field in fields(CleanupSettings):
            if hasattr(self, field.name):
                layout.prop(self, field.name)
        armature = active.active_armature(context)
        if armature is not None and nla.has_to_do_with_strips(armature):
            layout.prop(self, "over_strips")

    def _take_unset_values_from(self, armature: Object) -> dict[str, float]:
        """Give what neither a script nor the redo panel has set the value that the armature's settings have.

        Return what was set, by name.
        """
        own = settings.cleanup_values(armature)
        shown = [field.name for field in fields(CleanupSettings) if hasattr(own, field.name)]
        given = {name: getattr(self, name) for name in shown if self.properties.is_property_set(name)}
        for name in shown:
            if name not in given:
                setattr(self, name, getattr(own, name))
        return given
