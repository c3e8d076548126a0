# SPDX-License-Identifier: GPL-3.0-or-later
"""Along a path: pace, steps, plan and optimization of a whole way over terrain; numpy only, nothing of Blender."""
