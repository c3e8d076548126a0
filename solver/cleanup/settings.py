# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user can choose of the clean-up."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CleanupSettings:
    """What counts how much. Weights are against 1 for keeping each point's velocity.

    strength : fraction of the correction that is applied, 0 to 1.
    keep_travel : weight of the clip's path through space; 0 lets it drift, 1 is right for most clips.
    smoothness : weight of changes of velocity and acceleration, so that nothing kinks where a contact begins or ends.
    keep_reach : weight of the distance from hip to heel, and so of the knee's bend.
    softening : metres for a 0.9 m leg, within which a leg that is being straightened slows down before full reach.
    foot_pitch : fraction of the slope under it that a standing foot is pitched by, at least (see ground_fit.py).
    """

    strength: float = 1.0
    keep_travel: float = 1.0
    smoothness: float = 3.0
    keep_reach: float = 0.1
    softening: float = 0.005
    foot_pitch: float = 1.0
