# SPDX-License-Identifier: GPL-3.0-or-later
"""What every room of the rig knows: the user's language, Blender's versions, the scene, long work, warnings."""
