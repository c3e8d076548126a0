# SPDX-License-Identifier: GPL-3.0-or-later
"""What each button and each verb of the command does to an armature, from its action to a result."""
