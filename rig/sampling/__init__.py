# SPDX-License-Identifier: GPL-3.0-or-later
"""From an armature to a clip."""
