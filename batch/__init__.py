# SPDX-License-Identifier: GPL-3.0-or-later
"""A folder at a time: which file becomes which, workers that do it, what is done already, and how it went."""
