# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user can choose of the clean-up."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CleanupSettings:
    """What counts how much. Weights are against 1 for keeping each point's velocity.

    strength : share of the correction that is applied, 0 to 1.
    keep_travel : how hard the clip's way through space is kept; 0 lets it drift, 1 is right for most clips.
    smoothness : how hard changes of velocity are kept, so that nothing kinks where a contact begins or ends.
    keep_reach : how hard the distance from hip to heel, and so the knee's bend, is kept.
    softening : metres for a 0.9 m leg, within which a leg that is being straightened slows down before full reach.
    foot_pitch : share of the slope under it that a standing foot is pitched by, at least (see standing.py).
    """

    strength: float = 1.0
    keep_travel: float = 1.0
    smoothness: float = 3.0
    keep_reach: float = 0.1
    softening: float = 0.005
    foot_pitch: float = 1.0
