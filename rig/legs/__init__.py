# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones are limbs: by name, by shape, by hand."""
