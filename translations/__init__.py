# SPDX-License-Identifier: GPL-3.0-or-later
"""What Toehold says, in other languages: one file a language, as translators' tools know them (PO)."""
