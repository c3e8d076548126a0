# SPDX-License-Identifier: GPL-3.0-or-later
"""Quick feet that step, pivot and stay low; the body keeps to the floor that the choreography gives it."""

import bpy

settings = bpy.context.view_layer.objects.active.toehold

settings.contacts.toe_share = 0.2
settings.contacts.heel_share = 0.16
settings.contacts.height = 0.06
settings.contacts.still_distance = 0.03
settings.contacts.min_contact_time = 0.06
settings.contacts.min_gap_time = 0.05
settings.contacts.blend_time = 0.06
settings.cleanup.strength = 1.0
settings.cleanup.keep_travel = 2.0
settings.cleanup.smoothness = 2.0
settings.cleanup.softening = 0.005
settings.cleanup.foot_pitch = 1.0
