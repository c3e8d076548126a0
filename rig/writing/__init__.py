# SPDX-License-Identifier: GPL-3.0-or-later
"""From a clip to a new action: on bones, on controls, on a strip on top; and what a result remembers."""
