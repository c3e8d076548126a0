# SPDX-License-Identifier: GPL-3.0-or-later
"""Push an animated armature: it catches itself by stepping, or falls, in a new action. What was before the push stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import bpy
import numpy as np

from ...solver.clip import Clip
from ...solver.contacts import Contacts
from ...solver.gait.falling import above_ground, risen, rising, struck
from ...solver.gait.onward import onward
from ...solver.gait.pose import centre_of_mass
from ...solver.gait.push import Recovery, answer_push
from ...solver.gait.push_horizon import LENGTH, Pushed, Subject
from ...solver.gait.push_pose import carriers_of, recovered
from ...solver.gait.ragdoll import fallen_clip, parts_of_body, placed
from ...solver.gait.stances import Footfall
from ...solver.gait.template import template_of, usual_mass
from ...solver.metrics import Report
from ...solver.rotations import FloatArray
from .. import figures
from ..contacts.contact_curves import read_contacts, write_contacts
from ..curves import actions
from ..curves.channels import active_action
from ..errors import RigError
from ..limb_bones import LimbBones
from ..ragdoll.simulate import Led, fall
from ..sampling import evaluated
from ..sampling.sample import Sample, sample
from ..writing import results
from ..writing.controls import needs_controls
from ..writing.write_controls import write_as_animated

Fall = Literal["AUTO", "NEVER", "ALWAYS"]
FALLS: tuple[Fall, ...] = get_args(Fall)
