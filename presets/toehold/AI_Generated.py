# SPDX-License-Identifier: GPL-3.0-or-later
"""Generated motion, whose feet slide through every stance and whose travel fits them badly."""

import bpy

settings = bpy.context.view_layer.objects.active.toehold

settings.contacts.toe_share = 0.35
settings.contacts.heel_share = 0.25
settings.contacts.height = 0.1
settings.contacts.still_distance = 0.05
settings.contacts.min_contact_time = 0.12
settings.contacts.min_gap_time = 0.12
settings.contacts.blend_time = 0.12
settings.cleanup.strength = 1.0
settings.cleanup.keep_travel = 0.5
settings.cleanup.smoothness = 5.0
settings.cleanup.softening = 0.01
settings.cleanup.foot_pitch = 1.0
