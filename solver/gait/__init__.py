# SPDX-License-Identifier: GPL-3.0-or-later
"""Gaits from a bare skeleton: plan, optimization, full pose. Lengths in hip heights, times in √(h/g), mass one."""
