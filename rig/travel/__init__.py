# SPDX-License-Identifier: GPL-3.0-or-later
"""Root motion, and timing fitted to it."""
