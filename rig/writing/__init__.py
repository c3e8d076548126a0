# SPDX-License-Identifier: GPL-3.0-or-later
"""From a clip to a new action, on bones, controls or a strip on top."""
