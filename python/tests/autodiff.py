"""What the tests of ulna.jax and ulna.torch share: robots, states, and derivatives by differences of order six."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import ulna

QUANTITIES = {"inverse": "qva", "forward": "qvt", "bias": "qv", "gravity": "q", "mass": "q", "energy": "qv"}


CASES = (
    [("panda", quantity) for quantity in QUANTITIES]
    + [("rubbing", quantity) for quantity in QUANTITIES]
    + [("servicer", "inverse"), ("servicer", "mass"), ("servicer", "energy")]
)

#: Dry and viscous friction, a slide, a mimic joint that runs backwards.
RUBBING = """<robot name="rubbing"><link name="base"/>
<link name="one"><inertial><origin xyz="0.3 0.05 0"/><mass value="2"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.05" iyz="0" izz="0.04"/></inertial></link>
<link name="two"><inertial><origin xyz="0.1 0 0.2"/><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.03"/></inertial></link>
<link name="hand"><inertial><origin xyz="0.2 0.1 0"/><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.03"/></inertial></link>
<joint name="a" type="continuous"><parent link="base"/><child link="one"/><axis xyz="0 1 0"/><dynamics damping="0.3" friction="2"/></joint>
<joint name="b" type="prismatic"><parent link="one"/><child link="two"/><origin xyz="0.6 0 0"/><axis xyz="1 0 0"/><dynamics friction="3"/>
<limit lower="-1" upper="1" effort="9" velocity="9"/></joint>
<joint name="c" type="continuous"><parent link="two"/><child link="hand"/><origin xyz="0.1 0 0" rpy="0.3 0 0.2"/><axis xyz="0 1 0"/>
<dynamics damping="0.1" friction="1.5"/><mimic joint="a" multiplier="-0.7" offset="0.2"/></joint></robot>"""


def dynamics(robot: str) -> ulna.Dynamics:
    """Arms with friction and a load, or a base that is free."""
    if robot == "rubbing":
        return ulna.Dynamics(ulna.load(RUBBING), friction=True).with_payload("hand", 1.5, com=(0.01, 0.02, 0.1))
    if robot == "panda":
        return ulna.Dynamics("panda", friction=True).with_payload("hand", 1.5, com=(0.01, 0.02, 0.1))
    return ulna.Dynamics(ulna.load("servicer", base="free"))


def states(dyn: ulna.Dynamics, quantity: str, count: int) -> list[np.ndarray]:
    q, v, a = dyn.robot.sample(count, seed=5)
    v = v + 0.2 * np.sign(v)  # away from where friction jumps
    named = {"q": q, "v": v, "a": a, "t": dyn.inverse(q, v, a)}
    return [named[x] for x in QUANTITIES[quantity]]


def along(f: Callable[..., np.ndarray], at: list[np.ndarray], rates: list[np.ndarray], step: float = 2e-3) -> np.ndarray:
    """The derivative of f at `at` along `rates`. A free base's quaternion is made one of unit length again, as its derivative says."""

    def moved(t: float) -> np.ndarray:
        there = [x + t * r for x, r in zip(at, rates)]
        if at[0].shape[-1] == 13:  # the servicer's
            there[0][..., 3:7] /= np.linalg.norm(there[0][..., 3:7], axis=-1, keepdims=True)
        return f(*there)

    result: Any = sum(w * (moved(i * step) - moved(-i * step)) for i, w in ((1, 45), (2, -9), (3, 1))) / (60 * step)
    return np.asarray(result)
