# SPDX-License-Identifier: GPL-3.0-or-later
"""Make planted feet stand still, in a new action."""

from __future__ import annotations

from dataclasses import fields, replace

from bpy.types import Context, Object

from .. import settings
from ..rig.common.steps import Steps
from ..rig.common.wording import say
from ..rig.verbs import journey
from ..rig.writing import nla
from ..settings.properties import EnumProperty
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

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_new_action(context)

    def steps(self, context: Context, armature: Object) -> Steps[Reported]:
        self._take_unset_values_from(armature)
        limbs = legs_at_hand(armature)
        options = replace(settings.journey_options(armature, cleanup=self), over_strips=self.over_strips)
        cleaned = yield from journey.clean_in_steps(armature, limbs, options)
        keep_legs(armature, limbs)
        keep_cleaned(cleaned)
        keep_suspects(cleaned.result, armature, limbs, cleaned)
        before, after = cleaned.before, cleaned.after
        line = say(
            "Cleaned {contacts}, slide {before} → {after} mm/s",
            contacts=contacts_on_limbs(after, limbs),
            before=figure(before.slide_mm_s),
            after=figure(after.slide_mm_s),
        )
        return with_warnings(line, cleaned.warnings)

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

    def _take_unset_values_from(self, armature: Object) -> None:
        """Give what neither a script nor the redo panel has set the value that the armature's settings have."""
        own = settings.cleanup_values(armature)
        for field in fields(CleanupSettings):
            if hasattr(own, field.name) and not self.properties.is_property_set(field.name):
                setattr(self, field.name, getattr(own, field.name))
