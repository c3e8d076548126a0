# SPDX-License-Identifier: GPL-3.0-or-later
"""Walks, runs and turns, captured or keyframed: the settings that Toehold starts with."""

import bpy

settings = bpy.context.view_layer.objects.active.toehold

settings.contacts.toe_share = 0.25
settings.contacts.heel_share = 0.18
settings.contacts.height = 0.08
settings.contacts.still_distance = 0.04
settings.contacts.min_contact_time = 0.05
settings.contacts.min_gap_time = 0.08
settings.contacts.blend_time = 0.1
settings.cleanup.strength = 1.0
settings.cleanup.keep_travel = 1.0
settings.cleanup.smoothness = 3.0
settings.cleanup.softening = 0.005
settings.cleanup.foot_pitch = 1.0
