# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything in Toehold that is mathematics: numpy and nothing of Blender.

World space, Z up; metres, seconds, radians; quaternions ``(w, x, y, z)``; arrays are float64 with frames first.
``F`` frames, ``J`` joints, ``L`` limbs.
"""
