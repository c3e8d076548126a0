# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's own store of animation: actions, F-curves, keys, strips, and what a bone's channels mean."""
