# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's properties, with Toehold's own translation context: each of ours is made by one of these.

In the default context a label is looked up in Blender's own catalogue first, where a word may mean another thing:
*On* as what is switched on, *Add* as what one does to numbers.
"""

from __future__ import annotations

from functools import partial

from bpy import props

from ..rig.common.wording import CONTEXT

BoolProperty = partial(props.BoolProperty, translation_context=CONTEXT)
CollectionProperty = partial(props.CollectionProperty, translation_context=CONTEXT)
EnumProperty = partial(props.EnumProperty, translation_context=CONTEXT)
FloatProperty = partial(props.FloatProperty, translation_context=CONTEXT)
FloatVectorProperty = partial(props.FloatVectorProperty, translation_context=CONTEXT)
IntProperty = partial(props.IntProperty, translation_context=CONTEXT)
PointerProperty = partial(props.PointerProperty, translation_context=CONTEXT)
StringProperty = partial(props.StringProperty, translation_context=CONTEXT)
