# SPDX-License-Identifier: GPL-3.0-or-later
"""Locomotion on an armature: its body, a gait that is solved for it, and the action that is made of it."""
