# SPDX-License-Identifier: GPL-3.0-or-later
"""Falls, by Blender's rigid bodies on a scene of their own."""
