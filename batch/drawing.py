# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip's sketch (files/sketches.py) as inline SVG: stick figures from the side, and how fast a toe moves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Any

Sketch = dict[str, Any]

# Pixels.
_POSE_WIDTH, _POSE_HEIGHT, _MARGIN = 66, 92, 6
# Room at both ends of a strip.
_SIDE = 10
_CURVE_WIDTH, _CURVE_HEIGHT, _AXIS = 520, 150, 52
# The axis of speeds goes by powers of ten, mm/s: a slide of 50 mm/s beside a swing of 5000 mm/s can be seen.
_SLOWEST, _FASTEST = 1.0, 10000.0


def strip(sketch: Sketch) -> str:
    """Return the figures before in a row, and below them those after."""
    poses = sketch["poses"]
    moments = [moment for moment in ("before", "after") if moment in poses]
    scale, centre, floor = _frame([pose for moment in moments for pose in poses[moment]])
    width = _POSE_WIDTH * len(poses["before"]) + 2 * _SIDE
    height = _POSE_HEIGHT * len(moments)
    drawn = []
    for at, moment in enumerate(moments):
        bottom = (at + 1) * _POSE_HEIGHT - _MARGIN
        drawn.append(f'<path class="floor" d="M0 {bottom}H{width}"/>')
        for number, pose in enumerate(poses[moment]):
            left = _SIDE + (number + 0.5) * _POSE_WIDTH
            points = [(left + (x - centre) * scale, bottom - (z - floor) * scale) for x, z in pose]
            bones = "".join(
                f"M{points[a][0]:.1f} {points[a][1]:.1f}L{points[b][0]:.1f} {points[b][1]:.1f}"
                for a, b in sketch["bones"]
            )
            feet = "".join(
                f'<circle class="foot-{moment[0]}" cx="{points[joint][0]:.1f}" cy="{points[joint][1]:.1f}" r="2.6"/>'
                for joint in sketch["down"][number]
            )
            drawn.append(f'<path class="{moment[0]}" stroke-width="1.4" d="{bones}"/>{feet}')
    label = "the legs from the side; a dot is a foot that stands"
    return f'<svg width="{width}" height="{height}" role="img" aria-label="{label}">{"".join(drawn)}</svg>'


def _frame(poses: Sequence[Sequence[Sequence[int]]]) -> tuple[float, float, float]:
    """Return pixels a millimetre, and what is in the middle and at the bottom, so that all figures can be seen."""
    across = sorted(point[0] for pose in poses for point in pose)
    heights = [point[1] for pose in poses for point in pose]
    wide, high = max(across[-1] - across[0], 1), max(max(heights) - min(heights), 1)
    # Neighbours may reach into each other's place a little.
    scale = min(1.25 * _POSE_WIDTH / wide, (_POSE_HEIGHT - 2 * _MARGIN) / high)
    return scale, 0.5 * (across[0] + across[-1]), float(min(heights))


def curve(sketch: Sketch) -> str:
    """Return the speed of the toe that slides most, before and after, with its contacts shaded."""
    top, bottom = 18, _CURVE_HEIGHT - 18
    width = _CURVE_WIDTH - _AXIS

    def height(speed: float) -> float:
        share = math.log10(min(max(speed, _SLOWEST), _FASTEST) / _SLOWEST) / math.log10(_FASTEST / _SLOWEST)
        return bottom - share * (bottom - top)

    drawn = [
        f'<rect class="planted" x="{_AXIS + a * width:.1f}" y="{top}" width="{max((b - a) * width, 1.0):.1f}" '
        f'height="{bottom - top}"/>'
        for a, b in sketch["planted"]
    ]
    for speed, label in ((1, "1"), (10, "10"), (100, "100"), (1000, "1 000"), (10000, "10 000")):
        y = height(speed)
        drawn.append(f'<path class="grid" d="M{_AXIS} {y:.1f}H{_CURVE_WIDTH}"/>')
        drawn.append(f'<text x="{_AXIS - 6}" y="{y + 4:.1f}" text-anchor="end">{label}</text>')
    for moment in ("before", "after"):
        speeds = sketch["speed"].get(moment) or ()
        step = width / max(len(speeds), 1)
        points = " ".join(f"{_AXIS + (at + 0.5) * step:.1f},{height(speed):.1f}" for at, speed in enumerate(speeds))
        drawn.append(f'<polyline class="{moment[0]}" stroke-width="1.5" points="{points}"/>')
    title = f"level speed of the toe of {sketch['limb']}, mm/s"
    drawn.append(f'<text x="{_AXIS}" y="11">{escape(title)}</text>')
    drawn.append(f'<text x="{_AXIS}" y="{_CURVE_HEIGHT - 4}">0 s</text>')
    seconds = f"{sketch['seconds']:.1f} s"
    drawn.append(f'<text x="{_CURVE_WIDTH}" y="{_CURVE_HEIGHT - 4}" text-anchor="end">{seconds}</text>')
    size = f'width="{_CURVE_WIDTH}" height="{_CURVE_HEIGHT}" role="img"'
    return f'<svg {size} aria-label="{escape(title, quote=True)}">{"".join(drawn)}</svg>'
