# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies of every plan by formula, as they stand; `body_motion` names them and lets them walk. No Blender.

Facing -Y, metres. A leg is written from its hip to the tip of its toes as points on the left; its mirror image is made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

Point = tuple[float, float, float]
LEFT, RIGHT = 1.0, -1.0


@dataclass
class Joint:
    """A bone as it stands: where it begins and ends, and how much of its limb's step each of both ends takes."""

    name: str
    parent: str
    head: np.ndarray
    tail: np.ndarray
    limb: str = ""
    shares: tuple[float, float] = (0.0, 0.0)


@dataclass
class Plan:
    """A body.

    legs : the joints of each, by name: hip, knee, hock if there is one, heel and toe ("" for the foot's tip).
    phases : of each limb that steps, as a share of the cycle.
    """

    joints: list[Joint] = field(default_factory=list)
    legs: dict[str, dict[str, str]] = field(default_factory=dict)
    phases: dict[str, float] = field(default_factory=dict)
    hop: float = 0.0
    step: float = 0.3

    def chain(self, name: str, parent: str, points: Sequence[Point]) -> None:
        """Add bones from point to point that move with the body."""
        names = [f"{name}{number}" for number in range(len(points) - 1)]
        for at, own in enumerate(names):
            self.joints.append(Joint(own, [parent, *names][at], np.array(points[at]), np.array(points[at + 1])))

    def pair(self, name: str, parent: str, points: Sequence[Point]) -> None:
        for side, mirror in (("L", LEFT), ("R", RIGHT)):
            self.chain(f"{name}_{side}_", parent, [(mirror * x, y, z) for x, y, z in points])

    def leg(
        self,
        kind: str,
        side: str,
        parent: str,
        points: Sequence[Point],
        roles: Sequence[str],
        phase: float,
        floats: str = "",
    ) -> None:
        """Add a leg of one bone for each role, ``points`` one longer; roles in brackets are no joints of the limb.

        floats : what the foot hangs from in place of the shin; empty where it hangs from the shin.
        """
        mirror = RIGHT if side == "R" else LEFT
        at = [np.array((mirror * x, y, z)) for x, y, z in points]
        parts = [role.strip("()") for role in roles]
        heel = parts.index("heel")
        limb = f"{kind}.{side}"
        along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(at, axis=0), axis=-1))])
        shares = np.minimum(along / along[heel], 1.0)
        for number, part in enumerate(parts):
            above = parent if number == 0 else f"{kind}.{parts[number - 1]}.{side}"
            above = floats if floats and number == heel else above
            ends = (float(shares[number]), float(shares[number + 1]))
            self.joints.append(Joint(f"{kind}.{part}.{side}", above, at[number], at[number + 1], limb, ends))
        self.legs[limb] = {role: f"{kind}.{role}.{side}" for role in roles if not role.startswith("(")}
        self.phases[limb] = phase

    def legs_of(
        self, kind: str, parent: str, points: Sequence[Point], roles: str, phases: Sequence[float], **how: str
    ) -> None:
        for side, phase in zip("LR", phases, strict=True):
            self.leg(kind, side, parent, points, roles.split(), phase, **how)

    def arms(self, parent: str, points: Sequence[Point]) -> None:
        """Add arms from the collarbone on."""
        for side, mirror in (("L", LEFT), ("R", RIGHT)):
            at = [np.array((mirror * x, y, z)) for x, y, z in points]
            for number, part in enumerate(("collar", "upperarm", "forearm", "hand")):
                above = parent if number == 0 else f"arm.{('collar', 'upperarm', 'forearm')[number - 1]}.{side}"
                self.joints.append(Joint(f"arm.{part}.{side}", above, at[number], at[number + 1]))


ROLES = "hip knee heel toe"
PERSON = [(0.1, 0.0, 0.9), (0.1, -0.03, 0.5), (0.1, 0.0, 0.08), (0.1, -0.13, 0.02), (0.1, -0.2, 0.0)]
ARMS = [(0.03, 0.0, 1.42), (0.18, 0.0, 1.42), (0.21, 0.0, 1.14), (0.22, -0.03, 0.89), (0.22, -0.04, 0.8)]
T_ARMS = [(0.03, 0.0, 1.42), (0.18, 0.0, 1.42), (0.46, 0.0, 1.42), (0.71, 0.0, 1.42), (0.8, 0.0, 1.42)]


def _torso(plan: Plan, root: str = "") -> None:
    plan.joints.append(Joint("hips", root, np.array((0.0, 0.0, 0.95)), np.array((0.0, 0.0, 1.1))))
    plan.chain("spine", "hips", [(0.0, 0.0, 1.1), (0.0, 0.0, 1.3), (0.0, 0.0, 1.45)])
    plan.chain("neck", "spine1", [(0.0, 0.0, 1.45), (0.0, 0.0, 1.55), (0.0, 0.0, 1.75)])


def person(arms: Sequence[Point] = ARMS, roles: str = ROLES, points: Sequence[Point] = PERSON) -> Plan:
    plan = Plan()
    _torso(plan)
    plan.legs_of("hind", "hips", points, roles, (0.0, 0.5))
    plan.arms("spine1", arms)
    return plan


def without_toes() -> Plan:
    return person(roles="hip knee heel", points=[*PERSON[:3], (0.1, -0.2, 0.0)])


def with_twist_bones() -> Plan:
    points = [PERSON[0], (0.1, -0.015, 0.7), PERSON[1], (0.1, -0.015, 0.29), *PERSON[2:]]
    return person(roles="hip (thightwist) knee (shintwist) heel toe", points=points)


def dressed() -> Plan:
    plan = person()
    plan.pair("skirt", "hips", [(0.15, -0.05, 0.95), (0.2, -0.08, 0.6), (0.23, -0.1, 0.3), (0.25, -0.1, 0.02)])
    plan.pair("skirtback", "hips", [(0.1, 0.12, 0.95), (0.13, 0.16, 0.6), (0.15, 0.2, 0.3), (0.15, 0.2, 0.02)])
    plan.pair("hair", "neck1", [(0.1, 0.1, 1.7), (0.2, 0.15, 1.5), (0.22, 0.15, 1.0), (0.22, 0.15, 0.3)])
    plan.pair("wing", "spine1", [(0.1, 0.1, 1.4), (0.5, 0.2, 1.6), (1.0, 0.2, 1.2), (1.2, 0.3, 0.4)])
    plan.chain("tail", "hips", [(0.0, 0.1, 0.95), (0.0, 0.3, 0.7), (0.0, 0.6, 0.3), (0.0, 0.9, 0.03)])
    plan.chain("sword", "arm.hand.R", [(-0.22, -0.04, 0.85), (-0.22, -0.4, 0.5), (-0.22, -0.8, 0.1)])
    return plan


def floating_feet(arms: Sequence[Point] = ARMS) -> Plan:
    """As game rigs are made: feet are moved by themselves, from the root."""
    plan = Plan()
    plan.joints.append(Joint("root", "", np.zeros(3), np.array((0.0, 0.2, 0.0))))
    _torso(plan, "root")
    plan.legs_of("hind", "hips", PERSON, ROLES, (0.0, 0.5), floats="root")
    plan.arms("spine1", arms)
    return plan


def _beast(plan: Plan, back: float = 0.8, length: float = 1.0, root: str = "") -> None:
    ends = (0.5 * length, -0.05 * length, -0.5 * length)
    plan.joints.append(Joint("hips", root, np.array((0.0, ends[0], back)), np.array((0.0, 0.2 * length, back))))
    plan.chain("spine", "hips", [(0.0, 0.2 * length, back), (0.0, ends[1], back), (0.0, ends[2], back)])
    head = [(0.0, ends[2], back), (0.0, -0.75 * length, 1.4 * back), (0.0, -1.0 * length, 1.3 * back)]
    plan.chain("neck", "spine1", head)
    plan.chain("tail", "hips", [(0.0, 0.55 * length, back), (0.0, 0.8 * length, 0.8 * back), (0.0, length, 0.7 * back)])


def dog(floats: bool = False) -> Plan:
    plan = Plan()
    if floats:
        plan.joints.append(Joint("root", "", np.zeros(3), np.array((0.0, 0.2, 0.0))))
    _beast(plan, 0.55, 0.7, "root" if floats else "")
    how = {"floats": "root"} if floats else {}
    hind = [(0.08, 0.35, 0.5), (0.08, 0.3, 0.28), (0.08, 0.38, 0.05), (0.08, 0.34, 0.02), (0.08, 0.3, 0.0)]
    fore = [(0.08, -0.3, 0.5), (0.08, -0.26, 0.27), (0.08, -0.3, 0.05), (0.08, -0.34, 0.02), (0.08, -0.38, 0.0)]
    plan.legs_of("hind", "hips", hind, ROLES, (0.0, 0.5), **how)
    plan.legs_of("fore", "spine1", fore, ROLES, (0.5, 0.0), **how)
    return plan


def horse() -> Plan:
    """On hoofs, its hocks half way up."""
    plan = Plan()
    _beast(plan, 1.5, 1.6)
    hind = [
        (0.2, 0.75, 1.3),
        (0.2, 0.6, 0.95),
        (0.2, 0.85, 0.55),
        (0.2, 0.78, 0.15),
        (0.2, 0.68, 0.05),
        (0.2, 0.6, 0.0),
    ]
    plan.legs_of("hind", "hips", hind, "hip knee hock heel toe", (0.0, 0.5))
    fore = [(0.2, -0.7, 1.2), (0.2, -0.6, 0.85), (0.2, -0.65, 0.1), (0.2, -0.73, 0.04), (0.2, -0.8, 0.0)]
    plan.legs_of("fore", "spine1", fore, ROLES, (0.75, 0.25))
    return plan


def centaur() -> Plan:
    plan = horse()
    plan.joints = [joint for joint in plan.joints if not joint.name.startswith("neck")]
    plan.chain("trunk", "spine1", [(0.0, -0.8, 1.5), (0.0, -0.8, 1.8), (0.0, -0.8, 2.05)])
    plan.chain("neck", "trunk1", [(0.0, -0.8, 2.05), (0.0, -0.8, 2.15), (0.0, -0.8, 2.4)])
    plan.arms("trunk1", [(x, y - 0.8, z + 0.6) for x, y, z in ARMS])
    return plan


HOCKED = [(0.15, 0.05, 0.9), (0.15, -0.2, 0.62), (0.15, 0.15, 0.3), (0.15, 0.02, 0.03), (0.15, -0.12, 0.0)]


def tyrannosaur() -> Plan:
    """Two big legs, and fore-arms that are tiny."""
    plan = Plan()
    plan.joints.append(Joint("hips", "", np.array((0.0, 0.0, 1.0)), np.array((0.0, -0.2, 1.05))))
    plan.chain("spine", "hips", [(0.0, -0.2, 1.05), (0.0, -0.5, 1.15), (0.0, -0.7, 1.2)])
    plan.chain("neck", "spine1", [(0.0, -0.7, 1.2), (0.0, -0.8, 1.45), (0.0, -1.2, 1.4)])
    plan.chain("tail", "hips", [(0.0, 0.1, 1.0), (0.0, 0.5, 0.95), (0.0, 1.0, 0.9), (0.0, 1.4, 0.85)])
    _hocked(plan)
    plan.arms(
        "spine1", [(0.05, -0.6, 1.1), (0.12, -0.65, 1.0), (0.13, -0.6, 0.9), (0.13, -0.68, 0.83), (0.13, -0.7, 0.8)]
    )
    return plan


def _hocked(plan: Plan, points: Sequence[Point] = HOCKED, phases: Sequence[float] = (0.0, 0.5)) -> None:
    """Add legs that stand on their toes: the heel of the limb is the ball of the foot, which is its toe too."""
    for side, phase in zip("LR", phases, strict=True):
        plan.leg("hind", side, "hips", points, ROLES.split(), phase)
        foot, toe = (f"hind.{part}.{side}" for part in ("heel", "toe"))
        plan.legs[f"hind.{side}"] |= {"hock": foot, "heel": toe, "toe": toe}


def kangaroo() -> Plan:
    plan = Plan(hop=0.4)
    plan.joints.append(Joint("hips", "", np.array((0.0, 0.0, 0.7)), np.array((0.0, -0.1, 0.8))))
    plan.chain("spine", "hips", [(0.0, -0.1, 0.8), (0.0, -0.25, 1.05), (0.0, -0.3, 1.3)])
    plan.chain("neck", "spine1", [(0.0, -0.3, 1.3), (0.0, -0.35, 1.45), (0.0, -0.5, 1.45)])
    plan.chain("tail", "hips", [(0.0, 0.1, 0.65), (0.0, 0.4, 0.3), (0.0, 0.8, 0.06), (0.0, 1.1, 0.03)])
    feet = [(0.12, 0.0, 0.65), (0.14, -0.3, 0.5), (0.14, 0.12, 0.1), (0.14, -0.2, 0.02), (0.14, -0.3, 0.0)]
    plan.legs_of("hind", "hips", feet, ROLES, (0.0, 0.0))
    arms = [(0.05, -0.3, 1.25), (0.12, -0.32, 1.2), (0.13, -0.35, 1.02), (0.13, -0.48, 0.95), (0.13, -0.53, 0.93)]
    plan.arms("spine1", arms)
    return plan


def ostrich() -> Plan:
    plan = Plan()
    plan.joints.append(Joint("hips", "", np.array((0.0, 0.1, 1.0)), np.array((0.0, -0.1, 1.0))))
    plan.chain("spine", "hips", [(0.0, -0.1, 1.0), (0.0, -0.3, 1.05), (0.0, -0.4, 1.1)])
    plan.chain("neck", "spine1", [(0.0, -0.4, 1.1), (0.0, -0.5, 1.5), (0.0, -0.5, 1.9), (0.0, -0.65, 1.9)])
    plan.pair("wing", "spine1", [(0.15, -0.3, 1.1), (0.3, -0.1, 1.05), (0.33, 0.15, 1.0), (0.3, 0.35, 0.95)])
    _hocked(
        plan, [(0.15, 0.05, 0.95), (0.17, -0.15, 0.75), (0.15, 0.12, 0.42), (0.15, -0.02, 0.03), (0.15, -0.15, 0.0)]
    )
    return plan


def bird() -> Plan:
    plan = ostrich()
    plan.joints = [joint for joint in plan.joints if not joint.name.startswith("wing")]
    plan.pair("wing", "spine1", [(0.1, -0.3, 1.1), (0.4, -0.25, 1.15), (0.9, -0.2, 1.1), (1.4, 0.0, 1.05)])
    return plan


def frog() -> Plan:
    plan = Plan(hop=0.06, step=0.1)
    plan.joints.append(Joint("hips", "", np.array((0.0, 0.1, 0.1)), np.array((0.0, 0.02, 0.12))))
    plan.chain("spine", "hips", [(0.0, 0.02, 0.12), (0.0, -0.05, 0.13), (0.0, -0.1, 0.13)])
    plan.chain("neck", "spine1", [(0.0, -0.1, 0.13), (0.0, -0.15, 0.14), (0.0, -0.22, 0.12)])
    hind = [(0.04, 0.1, 0.09), (0.13, 0.0, 0.1), (0.09, 0.12, 0.02), (0.12, 0.05, 0.005), (0.13, 0.0, 0.0)]
    fore = [(0.05, -0.1, 0.1), (0.1, -0.06, 0.08), (0.1, -0.11, 0.015), (0.11, -0.13, 0.005), (0.12, -0.15, 0.0)]
    plan.legs_of("hind", "hips", hind, ROLES, (0.0, 0.0))
    plan.legs_of("fore", "spine1", fore, ROLES, (0.0, 0.0))
    return plan


def lizard() -> Plan:
    plan = Plan(step=0.1)
    _beast(plan, 0.12, 0.5)
    for kind, parent, y, phases in (("hind", "hips", 0.22, (0.0, 0.5)), ("fore", "spine1", -0.22, (0.5, 0.0))):
        points = [(0.05, y, 0.1), (0.17, y, 0.12), (0.18, y, 0.015), (0.2, y - 0.04, 0.005), (0.21, y - 0.08, 0.0)]
        plan.legs_of(kind, parent, points, ROLES, phases)
    return plan


def many_legs(pairs: int, splayed: bool, length: float, reach: float) -> Plan:
    """Return an insect: pairs of legs along a trunk, each of which ends in a point."""
    plan = Plan(step=0.15 * reach)
    high = 0.35 * reach if splayed else 0.7 * reach
    ys = np.linspace(0.5, -0.5, pairs + 1) * length
    trunk = [(0.0, float(y), high) for y in ys]
    plan.chain("trunk", "", trunk)
    plan.chain("neck", f"trunk{pairs - 1}", [trunk[-1], (0.0, float(ys[-1]) - 0.3 * reach, high)])
    for at in range(pairs):
        middle = 0.5 * float(ys[at] + ys[at + 1])
        fan = (at - 0.5 * (pairs - 1)) / max(pairs - 1, 1) if splayed else 0.0
        if splayed:
            way = [(0.1 * reach, high), (0.4 * reach, 1.7 * high), (0.85 * reach, 0.12 * reach), (reach, 0.0)]
        else:
            way = [(0.1 * reach, high), (0.3 * reach, 0.4 * reach), (0.35 * reach, 0.06 * reach), (0.38 * reach, 0.0)]
        points = [(r * np.cos(fan), middle - r * np.sin(fan), z) for r, z in way]
        phases = (0.5 * (at % 2), 0.5 * ((at + 1) % 2))
        plan.legs_of(f"leg{at}", f"trunk{at}", points, "hip knee heel", phases)
    return plan


def spider() -> Plan:
    return many_legs(4, splayed=True, length=0.4, reach=0.5)


def crab() -> Plan:
    plan = many_legs(4, splayed=True, length=0.3, reach=0.35)
    for side, mirror in (("L", LEFT), ("R", RIGHT)):
        at = [(0.1, -0.15, 0.13), (0.25, -0.3, 0.2), (0.15, -0.45, 0.18), (0.08, -0.5, 0.18)]
        plan.chain(f"claw_{side}_", "trunk3", [(mirror * x, y, z) for x, y, z in at])
    return plan


def centipede() -> Plan:
    return many_legs(10, splayed=False, length=2.0, reach=0.25)


def around(count: int) -> Plan:
    """Return a body on ``count`` legs that stand around it, which are no mirror images of each other."""
    plan = Plan()
    plan.joints.append(Joint("hips", "", np.array((0.0, 0.0, 1.0)), np.array((0.0, 0.0, 1.3))))
    plan.chain("head", "hips", [(0.0, 0.0, 1.3), (0.0, -0.2, 1.4)])
    for at in range(count):
        angle = 2.0 * np.pi * at / count - 0.5 * np.pi
        way = [(0.15, 0.95), (0.5, 0.7), (0.5, 0.08), (0.62, 0.02), (0.7, 0.0)]
        points = [(r * np.cos(angle), r * np.sin(angle), z) for r, z in way]
        plan.leg(f"leg{at}", "", "hips", points, ROLES.split(), at / count)
    return plan


def table() -> Plan:
    plan = Plan(step=0.1)
    plan.joints.append(Joint("top", "", np.array((0.0, 0.0, 0.75)), np.array((0.0, -0.3, 0.75))))
    for kind, y, phases in (("hind", 0.5, (0.0, 0.5)), ("fore", -0.5, (0.5, 0.0))):
        points = [(0.4, y, 0.72), (0.4, y, 0.38), (0.4, y, 0.05), (0.4, y, 0.0)]
        plan.legs_of(kind, "top", points, "hip knee heel", phases)
    return plan


def snake() -> Plan:
    plan = Plan()
    plan.chain("spine", "", [(0.05 * float(np.sin(at)), -0.1 * at, 0.03) for at in range(12)])
    return plan


PLANS: dict[str, Callable[[], Plan]] = {
    "person": person,
    "person in T": lambda: person(T_ARMS),
    "without toes": without_toes,
    "twist bones": with_twist_bones,
    "dressed": dressed,
    "floating feet": floating_feet,
    "floating feet in T": lambda: floating_feet(T_ARMS),
    "dog": dog,
    "dog with floating feet": lambda: dog(floats=True),
    "horse": horse,
    "centaur": centaur,
    "tyrannosaur": tyrannosaur,
    "kangaroo": kangaroo,
    "ostrich": ostrich,
    "bird": bird,
    "frog": frog,
    "lizard": lizard,
    "spider": spider,
    "crab": crab,
    "centipede": centipede,
    "tripod": lambda: around(3),
    "five legs": lambda: around(5),
    "table": table,
    "snake": snake,
}
