# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts as curves and custom properties in an action."""
