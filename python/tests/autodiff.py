"""What the tests of ulna.jax and ulna.torch share: robots, states, and derivatives by differences of order six."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import ulna

QUANTITIES = {"inverse": "qva", "forward": "qvt", "bias": "qv", "gravity": "q", "mass": "q", "energy": "qv"}


CASES = [("panda", quantity) for quantity in QUANTITIES] + [("servicer", "inverse"), ("servicer", "mass"), ("servicer", "energy")]


def dynamics(robot: str) -> ulna.Dynamics:
    """An arm with friction and a load, or a base that is free."""
    if robot == "panda":
        return ulna.Dynamics("panda", friction=True).with_payload("hand", 1.5, com=(0.01, 0.02, 0.1))
    return ulna.Dynamics(ulna.load("servicer", base="free"))


def states(dyn: ulna.Dynamics, quantity: str, count: int) -> list[np.ndarray]:
    q, v, a = dyn.robot.sample(count, seed=5)
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
