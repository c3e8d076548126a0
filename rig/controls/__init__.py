# SPDX-License-Identifier: GPL-3.0-or-later
"""Control rigs: which controls move a limb, found by trying, and how far they are to be moved."""
