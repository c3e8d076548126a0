# SPDX-License-Identifier: GPL-3.0-or-later
"""The runtime lock as it is shown, rendered, baked and compared."""
