# SPDX-License-Identifier: GPL-3.0-or-later
"""What is shown as a suspect, in an action's own frames."""

from __future__ import annotations

import bpy

from support.walker import limb_bones, walk
from support.walker_armature import walking_armature
from toehold.rig.contacts.states import write_states
from toehold.rig.verbs import journey
from toehold.rig.verbs.listing import Spans, suspect_spans
from toehold.solver.contacts import Contacts, runs
from toehold.solver.forced import ForcedStates, State, nothing_forced


def suspects(armature: bpy.types.Object, measured: journey.Measured, contacts: Contacts) -> tuple[Spans, ...]:
    return suspect_spans(armature, limb_bones(), measured.sample, contacts, measured.ground)


def test_a_stance_is_a_suspect_until_it_is_planted_or_a_person_has_lifted_it() -> None:
    armature = walking_armature(walk(strides=3.0))
    measured = journey.annotate(armature, limb_bones(), journey.Options())
    assert suspects(armature, measured, measured.contacts) == ((), ())
    first, last = runs(measured.contacts.foot_down[:, 1])[1]
    left = {name: getattr(measured.contacts, name).copy() for name in ("toe", "heel", "foot_down")}
    for signal in left.values():
        signal[first : last + 1, 1] = 0
    fewer = Contacts(left["toe"], left["heel"], left["foot_down"])
    of_left, of_right = suspects(armature, measured, fewer)
    assert of_left == ()
    (span,) = of_right
    frames = measured.sample.frames
    assert abs(span[0] - frames[first]) <= 3
    assert abs(span[1] - frames[last]) <= 3

    states = nothing_forced(len(frames), 2)
    lifted = states.toe.copy()
    lifted[first - 3 : last + 4, 1] = State.LIFTED
    write_states(armature, limb_bones(), ForcedStates(lifted, lifted), frames)
    assert suspects(armature, measured, fewer) == ((), ())
