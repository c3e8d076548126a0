# SPDX-License-Identifier: GPL-3.0-or-later
"""What every property of an armature's settings shares."""

# Settings of an armature that is a library override can be changed too.
OVERRIDABLE = {"LIBRARY_OVERRIDABLE"}
