# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user should know besides a verb's result, each as one thing: a code, a text, a limb and frames.

Reports of buttons, the panel and the command all show the same ones. ``checks.py`` finds them; what to do about each
differs from place to place, and is said there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from bpy.app.translations import pgettext_n as n_

from .wording import say

# First and last scene frame, inclusive.
Span = tuple[int, int]

# Code to what it says. ``{limb}`` and ``{frames}`` are the warning's own, all else is of its values.
TEXTS = {
    "no-contacts": n_("no foot is ever planted"),
    "treadmill-without-contacts": n_("the clip walks on a treadmill at {speed:.2f} m/s, but no foot is ever planted"),
    "other-slot": n_('slot "{slot}" of the action moves the bones, and another slot is chosen'),
    "limb-unsure": n_('{limb}, from "{bone}" down, is not sure: found {reason}'),
    "limb-hands-carry": n_(
        '{limb}, from "{bone}" down, is one of the limbs, since it carries weight for most of the clip'
    ),
    "limb-hands-touch": n_("the hands come down for a part of the clip, and are not among the limbs"),
    "limb-only-one": n_('only one leg was found, from "{bone}" down'),
    "no-hands": n_("no hands were found"),
    "odd-unit": n_("the legs are {length:.3g} m long, so the unit is probably not the right one"),
    "slow-frames": n_(
        "each foot swings for {swing:.1f} s, as in a clip of {rate:.0f} frames a second that is played at {fps:g}"
    ),
    "broken-motion": n_("the motion breaks off at {frames}, and no contact goes on over that"),
    "other-floor": n_(
        "the clip stands on a floor of its own at {height:+.2f} m, which was used instead of {asked:+.2f} m"
    ),
    "beside-ground": n_("{share:.3g} % of planted feet are on the floor beside the ground objects"),
    "steep-ground": n_("{share:.3g} % of planted feet are on faces too steep to stand on"),
    "ground-refused": n_('"{object}" is too high to be climbed from where the feet are, so no foot stands on it'),
    "toes-bent": n_("toes are bent up in {count} contacts, since there is no room for them"),
    "deep-in-ground": n_("feet up to {depth:.0f} mm deep in the ground objects"),
    "out-of-reach": n_("{limb} stays up to {unreached:.0f} mm short of its place, {frames}"),
    "sharper": n_("{reason} more sharply than before, by a factor of {factor:.1f}"),
    "more-slide": n_("{limb} slides more than before, {after:.0f} mm/s instead of {before:.0f}, {frames}"),
}

# The most spans of frames that are named in a text.
_NAMED_SPANS = 3


@dataclass(frozen=True)
class Warning:
    """One thing that a user should know.

    code : which of TEXTS.
    values : what fills in the text, numbers and names; a ``reason`` is a text to be translated itself.
    limb : name of the limb that it is about; empty where it is about all of them.
    frames : scene frames that it is about; none where it is about all of them.
    """

    code: str
    values: Mapping[str, float | str] = field(default_factory=dict)
    limb: str = ""
    frames: tuple[Span, ...] = ()

    def text(self, first_frame: int = 0) -> str:
        """Return what it says in the user's language, with frames counted from the scene's ``first_frame``."""
        values = {name: say(str(value)) if name == "reason" else value for name, value in self.values.items()}
        return say(TEXTS[self.code], **values, limb=self.limb, frames=self._frames_named(first_frame))

    def record(self, first_frame: int = 0) -> dict[str, Any]:
        """Return it as programs read it, with frames counted from the scene's ``first_frame``."""
        told = {"code": self.code, "text": self.text(first_frame)}
        return told | {"limb": self.limb or None, "frames": self.spans(first_frame)}

    def spans(self, first_frame: int = 0) -> list[list[int]]:
        """Return first and last frame of each span, counted from the scene's ``first_frame``."""
        return [[first - first_frame, last - first_frame] for first, last in self.frames]

    def _frames_named(self, first_frame: int) -> str:
        spans = self.spans(first_frame)
        named = [f"{first}-{last}" if last > first else str(first) for first, last in spans[:_NAMED_SPANS]]
        listed = ", ".join([*named, *(["…"] if len(spans) > _NAMED_SPANS else [])])
        is_one = len(spans) == 1 and spans[0][0] == spans[0][1]
        return say("frame {number}", number=listed) if is_one else say("frames {numbers}", numbers=listed)


def as_json(warnings: Sequence[Warning]) -> str:
    """Return warnings as text to be kept, for ``from_json``."""
    return json.dumps([vars(warning) for warning in warnings])


@lru_cache(maxsize=16)
def from_json(text: str) -> tuple[Warning, ...]:
    """Return what of ``text`` is warnings that can be told: a property can be edited by hand."""
    try:
        stored = json.loads(text)
    except ValueError:
        return ()
    found = [_parsed(entry) for entry in stored] if isinstance(stored, list) else []
    return tuple(warning for warning in found if warning is not None)


def _parsed(entry: Any) -> Warning | None:
    try:
        frames = tuple((int(first), int(last)) for first, last in entry["frames"])
        warning = Warning(str(entry["code"]), dict(entry["values"]), str(entry["limb"]), frames)
        warning.text()
    except (LookupError, TypeError, ValueError):
        return None
    return warning
