# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones can move which others, by parents, constraints and drivers: so a control belongs to the leg it moves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import bpy

from ..legs.limb_bones import LimbBones

_BONE_IN_PATH = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)*)"\]')


def movers_of(above: Mapping[str, set[str]], bones: Iterable[str]) -> set[str]:
    """Return the bones that can move one of ``bones``, these included; ``above`` is of ``dependencies``."""
    found: set[str] = set()
    waiting = list(bones)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += above.get(name, ())
    return found


def limbs_of_controls(armature: bpy.types.Object, limbs: Sequence[LimbBones], selected: Iterable[str]) -> list[int]:
    """Return the limbs, by index, that own one of the ``selected`` bones.

    It is the limb's own from hip to toes, or moves this limb and no other, or is moved by this limb and no other, as
    single toes are. What moves several limbs, or the body, belongs to none of them.
    """
    chains = [set(limb.bones) - {limb.root} for limb in limbs]
    owners: set[int] = set()
    others = set(selected)
    for at, chain in enumerate(chains):
        if others & chain:
            owners.add(at)
    others -= set().union(*chains)
    if others:
        above = dependencies(armature)
        movers = [movers_of(above, chain) for chain in chains]
        body = movers_of(above, {limb.root for limb in limbs})
        for name in others - body:
            moved_by = movers_of(above, [name])
            own = [at for at, of_limb in enumerate(movers) if name in of_limb]
            own = own or [at for at, chain in enumerate(chains) if moved_by & chain]
            owners.update(own if len(own) == 1 else ())
    return sorted(owners)


def dependencies(armature: bpy.types.Object) -> dict[str, set[str]]:
    """Return for each bone the bones that it hangs from, follows or is driven by.

    What goes by way of another object counts too, where that hangs from a bone of this armature.
    """
    above: dict[str, set[str]] = {}
    for bone in armature.pose.bones:
        followed = {target for constraint in bone.constraints for target in _targets(armature, constraint)}
        for constraint in bone.constraints:
            # Inverse kinematics move the whole chain above the bone that carries them.
            if constraint.type in {"IK", "SPLINE_IK"}:
                chain = bone.parent_recursive
                count = getattr(constraint, "chain_count", 0)
                for one in chain[: count - 1] if count else chain:
                    above.setdefault(one.name, set()).update({bone.name}, followed)
        above.setdefault(bone.name, set()).update(followed)
        if bone.parent is not None:
            above[bone.name].add(bone.parent.name)
    for driver in armature.animation_data.drivers if armature.animation_data else ():
        match = _BONE_IN_PATH.match(driver.data_path)
        if match and driver.driver is not None:
            bones = {name for variable in driver.driver.variables for name in _read_by(armature, variable)}
            above.setdefault(bpy.utils.unescape_identifier(match[1]), set()).update(bones)
    return above


def _targets(armature: bpy.types.Object, constraint: bpy.types.Constraint) -> Iterator[str]:
    """Yield the bones of the armature that a constraint follows."""
    for owner in (constraint, *getattr(constraint, "targets", ())):
        yield from _bone_of(armature, getattr(owner, "target", None), getattr(owner, "subtarget", ""))
        yield from _bone_of(armature, getattr(owner, "pole_target", None), getattr(owner, "pole_subtarget", ""))


def _bone_of(armature: bpy.types.Object, target: bpy.types.Object | None, name: str) -> Iterator[str]:
    if target == armature:
        yield name
    elif target is not None and target.parent == armature and target.parent_type == "BONE":
        yield target.parent_bone


def _read_by(armature: bpy.types.Object, variable: bpy.types.DriverVariable) -> Iterator[str]:
    """Yield the bones of the armature that a driver's variable reads."""
    for target in variable.targets:
        if target.id == armature:
            match = _BONE_IN_PATH.match(target.data_path)
            yield bpy.utils.unescape_identifier(match[1]) if match else target.bone_target


def follows_other_objects(armature: bpy.types.Object) -> bool:
    """Whether a bone follows an object of which can not be told whether bones of the armature move it in turn."""
    for bone in armature.pose.bones:
        for constraint in bone.constraints:
            for owner in (constraint, *getattr(constraint, "targets", ())):
                target = getattr(owner, "target", None)
                if target not in (None, armature) and (target.constraints or target.parent not in (None, armature)):
                    return True
    return False
