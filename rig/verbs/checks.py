# SPDX-License-Identifier: GPL-3.0-or-later
"""What a verb's result has to be warned of, found from what the verb has in hand anyhow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import bpy
import numpy as np
from bpy.app.translations import pgettext_n as n_

from ...solver.bad_frames import find_breaks
from ...solver.contacts import runs
from ...solver.ground import Ground
from ...solver.limb import feet_among
from ...solver.metrics import ContactFigures, Report
from ...solver.rotations import TINY
from ..common.scene import metres_per_unit
from ..common.warnings import Span, Warning
from ..curves.channels import other_slot
from ..sampling.sample import Sample
from ..terrain.ground import OffGround, floor_height

# Codes of what a source is warned of whatever is made of it: those of ``of_motion``.
OF_MOTION = frozenset(
    {"slow-frames", "broken-motion", "other-floor", "odd-unit", "no-contacts", "treadmill-without-contacts"}
)

# No leg that is shorter or longer than this, in metres, is taken for meant: a mouse's and a giant's are in between,
# while a person's in centimetres or millimetres taken for metres, or the other way round, are not.
SHORTEST_LEG, LONGEST_LEG = 0.01, 12.0

# Feet that miss their place by more than this many millimetres are worth a warning.
REACHED_MM = 1.0

# A foot of a 0.9 m leg swings for so many seconds in a walk; where all swing for so many times as long, the clip was
# made for more frames a second: slow walks are up to twice as slow. So many swings tell.
USUAL_SWING, TOO_SLOW, FEWEST_SWINGS = 0.46, 2.6, 4
RATES = (50, 60, 100, 120, 240)

# Two floors are one where they are no further apart than this, in metres.
SAME_FLOOR = 0.001

# A contact slides more than before where it is faster by more than this (mm/s) and drifts further by this (mm).
MORE_MM_S, MORE_MM = 15.0, 5.0

# Figures of sharpness, what is said where one is higher than the source's by this factor and by its own least amount:
# less than that is not seen.
SHARPER = 1.3
SHARPNESS = (
    ("toe_jerk_m_s3", 200.0, n_("toes land and leave")),
    ("knee_pop_deg_s", 30.0, n_("knees bend")),
    ("hips_m_s2", 2.0, n_("the hips speed up and slow down")),
)

# Less than this many per cent would read as nothing.
_LEAST_SHARE = 0.1


def of_slot(armature: bpy.types.Object) -> list[Warning]:
    """Return whether another slot of the action moves the armature than the one chosen. Cheap enough for a redraw."""
    slot = other_slot(armature)
    return [] if slot is None else [Warning("other-slot", {"slot": slot.name_display})]


def of_motion(motion: Sample, report: Report, ground: Ground, ground_height: float) -> list[Warning]:
    """Return what there is to doubt of a motion and of its contacts in ``report``, whatever is made of it.

    ground_height : of the floor, in metres, as it is set.
    """
    warnings = of_floor(ground, ground_height)
    belt = ground.treadmill
    if not report.contacts and belt is not None:
        speed = float(np.linalg.norm(belt.mean_velocity)) * metres_per_unit()
        warnings.append(Warning("treadmill-without-contacts", {"speed": speed}))
    elif not report.contacts:
        warnings.append(Warning("no-contacts"))
    legs = [motion.limbs[foot] for foot in feet_among(motion.limbs)]
    length = float(np.median([leg.length(motion.clip) for leg in legs])) * metres_per_unit()
    if not SHORTEST_LEG <= length <= LONGEST_LEG:
        warnings.append(Warning("odd-unit", {"length": length}))
    return [*warnings, *_of_rate(motion, report), *_of_breaks(motion)]


def _of_rate(motion: Sample, report: Report) -> list[Warning]:
    """Return whether feet swing so slowly that the clip was made for more frames a second than the scene plays."""
    frames, scales = [], []
    for index in feet_among(motion.limbs):
        spans = sorted((one.start, one.end) for one in report.contacts if one.limb == index and one.kind == "toe")
        gaps = [after[0] - before[1] - 1 for before, after in pairwise(spans)]
        frames += gaps
        scales += [motion.limbs[index].scale(motion.clip) * metres_per_unit()] * len(gaps)
    if len(frames) < FEWEST_SWINGS:
        return []
    # A leg swings as a pendulum does: for longer where it is longer, by the square root.
    usual = USUAL_SWING * np.sqrt(np.maximum(np.array(scales), TINY)) * motion.clip.fps
    factor = float(np.median(np.array(frames) / usual))
    # Of frame rates that there are, the nearest.
    rate = min(RATES, key=lambda rate: abs(np.log(rate / (factor * motion.clip.fps))))
    if factor < TOO_SLOW or rate < TOO_SLOW * motion.clip.fps / 1.2:
        return []
    swing = float(np.median(frames)) / motion.clip.fps
    return [Warning("slow-frames", {"swing": swing, "fps": round(motion.clip.fps, 3), "rate": float(rate)})]


def _of_breaks(motion: Sample) -> list[Warning]:
    breaks = find_breaks(motion.clip)
    bad = breaks.bad.copy()
    bad[list(breaks.cuts)] = True
    spans = tuple((round(float(motion.frames[first])), round(float(motion.frames[last]))) for first, last in runs(bad))
    return [Warning("broken-motion", {}, "", spans)] if spans else []


def of_floor(ground: Ground, asked: float) -> list[Warning]:
    """Return whether a clip was put on a floor of its own, at another height than was ``asked`` for (metres)."""
    height = floor_height(ground)
    if height is None or abs(height - asked) < SAME_FLOOR:
        return []
    return [Warning("other-floor", {"height": height, "asked": asked})]


def of_ground(off: OffGround) -> list[Warning]:
    """Return where feet do not stand on the ground objects as they should."""
    warnings = []
    if off.deep_mm > 0.0:
        warnings.append(Warning("deep-in-ground", {"depth": off.deep_mm}))
    for name, height, climb in off.refused:
        warnings.append(Warning("ground-refused", {"object": name, "height": height, "climb": climb}))
    if off.beside > 0.0:
        warnings.append(Warning("beside-ground", {"share": max(100.0 * off.beside, _LEAST_SHARE)}))
    if off.steep > 0.0:
        warnings.append(Warning("steep-ground", {"share": max(100.0 * off.steep, _LEAST_SHARE)}))
    if off.bent > 0:
        warnings.append(Warning("toes-bent", {"count": off.bent}))
    return warnings


def of_change(motion: Sample, before: Report, after: Report) -> list[Warning]:
    """Return where a result of ``motion`` is not what it was to be; both reports are of the same contacts."""
    warnings = []
    earlier = {(contact.limb, contact.kind, contact.start): contact for contact in before.contacts}

    def was(contact: ContactFigures) -> ContactFigures:
        return earlier[contact.limb, contact.kind, contact.start]

    def slides_more(contact: ContactFigures) -> bool:
        more = contact.slide_mm_s - was(contact).slide_mm_s > MORE_MM_S
        return more and contact.drift_mm - was(contact).drift_mm > MORE_MM

    for index, limb in enumerate(motion.limbs):
        own = [contact for contact in after.contacts if contact.limb == index]
        missed, spans = _those(own, motion, lambda contact: contact.unreached_mm > REACHED_MM)
        if missed:
            furthest = max(contact.unreached_mm for contact in missed)
            warnings.append(Warning("out-of-reach", {"unreached": furthest}, limb.name, spans))
        sliding, spans = _those(own, motion, slides_more)
        if sliding:
            worst = max(sliding, key=lambda contact: contact.slide_mm_s - was(contact).slide_mm_s)
            speeds = {"before": was(worst).slide_mm_s, "after": worst.slide_mm_s}
            warnings.append(Warning("more-slide", speeds, limb.name, spans))
    return warnings


def of_sharpness(before: Report, after: Report) -> list[Warning]:
    """Return what of a result is sharper than in its source: landing and leaving toes, knees and hips.

    Of what hardly moved the factor is that over what can be seen.
    """
    warnings = []
    for name, least, what in SHARPNESS:
        was, now = getattr(before, name), getattr(after, name)
        if now > SHARPER * was and now - was > least:
            warnings.append(Warning("sharper", {"reason": what, "factor": now / max(was, least)}))
    return warnings


def _those(
    contacts: Sequence[ContactFigures], motion: Sample, wanted: Callable[[ContactFigures], bool]
) -> tuple[list[ContactFigures], tuple[Span, ...]]:
    """Return the contacts that are wanted, and their scene frames."""
    chosen = [contact for contact in contacts if wanted(contact)]
    frames = motion.frames
    return chosen, tuple((round(float(frames[one.start])), round(float(frames[one.end]))) for one in chosen)
