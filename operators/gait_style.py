# SPDX-License-Identifier: GPL-3.0-or-later
"""What verbs that make gaits share: the gaits to choose from, and the shares of style."""

from __future__ import annotations

from ..rig.gait.generate import BY_SPEED, STYLES
from ..settings.properties import FloatProperty

GAIT_ITEMS = (
    (BY_SPEED, "By Speed", "The gait that animals take at this speed"),
    ("WALK", "Walk", "Two or four legs: always a foot down"),
    ("RUN", "Run", "Two legs, with a flight between the steps"),
    ("HOP", "Hop", "Two legs at once"),
    ("AMBLE", "Amble", "Four legs, one after the other, faster than a walk"),
    ("TROT", "Trot", "Four legs, across from each other at once"),
    ("FLYING_TROT", "Flying Trot", "A fast trot with long flights"),
    ("PACE", "Pace", "Four legs, those of one side at once"),
    ("CANTER", "Canter", "Four legs in three beats"),
    ("TRANSVERSE_GALLOP", "Transverse Gallop", "A horse's gallop"),
    ("ROTARY_GALLOP", "Rotary Gallop", "A dog's or a cheetah's gallop"),
    ("HALF_BOUND", "Half Bound", "Hind feet at once, fore feet one after the other"),
    ("BOUND", "Bound", "Hind feet at once, then fore feet at once"),
    ("PRONK", "Pronk", "All four at once"),
    ("TRIPOD", "Tripod", "Six legs and more, every other one at once"),
    ("RIPPLE", "Ripple", "Six legs and more, in waves from the back"),
    ("WAVE", "Wave", "Six legs and more, slowly, one after the other"),
    ("TETRAPOD", "Tetrapod", "Eight legs, four at once"),
)
_SHARE = {"default": 1.0, "min": 0.0, "max": 2.0, "options": {"SKIP_SAVE"}}


class GaitStyle:
    """Shares of style, 1 natural: mixed into a verb."""

    bounce: FloatProperty(name="Bounce", description="How much the body rises over its legs", **_SHARE)  # type: ignore[valid-type]
    lean: FloatProperty(name="Lean", description="How far the body leans forward", **_SHARE)  # type: ignore[valid-type]
    lift: FloatProperty(name="Lift", description="How high feet are lifted", **_SHARE)  # type: ignore[valid-type]
    stride: FloatProperty(name="Stride", description="How long the steps are", **{**_SHARE, "min": 0.3})  # type: ignore[valid-type]
    spread: FloatProperty(name="Spread", description="How far apart feet of left and right are", **_SHARE)  # type: ignore[valid-type]
    crouch: FloatProperty(name="Crouch", description="How low the body goes", **_SHARE)  # type: ignore[valid-type]
    pelvis: FloatProperty(name="Pelvis", description="How far hips and shoulders turn with the steps", **_SHARE)  # type: ignore[valid-type]
    arms: FloatProperty(name="Arms", description="How far arms swing against the legs", **_SHARE)  # type: ignore[valid-type]
    head: FloatProperty(name="Head", description="How steady the head is kept", **_SHARE)  # type: ignore[valid-type]
    tail: FloatProperty(name="Tail", description="How far the tail swings", **_SHARE)  # type: ignore[valid-type]

    def style(self) -> dict[str, float]:
        """Return the shares by name."""
        return {name: getattr(self, name) for name in STYLES}
