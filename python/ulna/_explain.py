"""Why two models, or a model and the numbers of another program, disagree."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from . import _core
from ._numbers import real
from ._results import Explanation
from ._robot import Robot, load


def _side(side: Any) -> Any:
    """A robot, or a mapping of arrays, of whatever was given."""
    if isinstance(side, (Robot, Mapping)):
        return side
    if isinstance(side, (str, os.PathLike)):
        return load(side, unchecked=True)
    package = type(side).__module__.split(".")[0]
    if package.startswith("pinocchio"):
        from ._convert import from_pinocchio

        return from_pinocchio(side, check=False, unchecked=True)
    if package == "mujoco":
        from ._convert import from_mujoco

        return from_mujoco(side, check=False, unchecked=True)
    raise TypeError(f"a side is {type(side).__name__}, but must be a Robot, a path or name, a model of Pinocchio or MuJoCo, or a mapping of arrays")


def _numbers(robot: Robot, given: Mapping[str, Any], tolerance: float) -> Explanation:
    import numpy as np

    shapes = {"q": (robot.nq,), "v": (robot.nv,), "a": (robot.nv,), "tau": (robot.nv,), "g": (robot.nv,), "M": (robot.nv, robot.nv)}
    unknown = sorted(set(given) - set(shapes))
    if unknown:
        raise ValueError(f"numbers have the key {unknown[0]!r}, but may have q, v, a, tau, g and M")
    if "q" not in given:
        raise ValueError("numbers need the key 'q', the positions at which they were computed")
    arrays: dict[str, Any] = {}
    for key, shape in shapes.items():
        if key not in given:
            continue
        array = real(key, given[key])
        array = array[np.newaxis] if array.ndim == len(shape) else array
        if array.shape[1:] != shape:
            raise ValueError(f"{key} has the shape {array.shape}, but must have {('states', *shape)}")
        arrays[key] = array
    states = len(arrays["q"])
    for key, array in arrays.items():
        if len(array) != states:
            raise ValueError(f"{key} has {len(array)} states, and q has {states}")
    zero = np.zeros((states, robot.nv))
    flat = {key: arrays[key].ravel().tolist() if key in arrays else [] for key in ("tau", "g", "M")}
    return Explanation(
        _core.explain_numbers(
            robot._model,
            states,
            arrays["q"].ravel().tolist(),
            arrays.get("v", zero).ravel().tolist(),
            arrays.get("a", zero).ravel().tolist(),
            flat["tau"],
            flat["g"],
            flat["M"],
            tolerance,
        )
    )


def explain(a: Any, b: Any, *, tolerance: float = 1e-9, samples: int = 40, seed: int = 1) -> Explanation:
    """Why A and B disagree: causes in the order of their size, each with the edit of A that removes it and what is left after it.

    Torques are compared with rotors and friction on. Differences without effect on torques are listed with a share of 0.

    :param a, b: each a :class:`Robot`, a path or name, a model of Pinocchio or MuJoCo; or one of them a mapping with what another program computed: "q", "v",
        "a" (one row a state) and any of "tau", "g" (gravity alone) and "M".
    :param tolerance: largest difference that counts as agreement, relative to the largest torque of each joint.
    :param samples, seed: random states on which two models are compared.

    >>> import ulna
    >>> bool(ulna.explain("panda", "panda"))
    True
    >>> robot = ulna.load("panda")
    >>> q, v, a = robot.sample(30)
    >>> tau = ulna.Dynamics(robot, friction=True).inverse(q, v, a) + 0.1 * a     # a program that includes armature
    >>> cause = ulna.explain(robot, {"q": q, "v": v, "a": a, "tau": tau})["causes"][0]
    >>> cause["kind"]
    'armature'
    """
    one, two = _side(a), _side(b)
    if isinstance(one, Mapping) and isinstance(two, Mapping):
        raise TypeError("both sides are numbers: one of them must be a model")
    if isinstance(one, Mapping):
        found = _numbers(two, one, tolerance)
        for cause in found["causes"]:
            cause["from"], cause["to"], cause["edit"] = cause["to"], cause["from"], "in B: " + cause["edit"]
        return found
    if isinstance(two, Mapping):
        return _numbers(one, two, tolerance)
    return Explanation(_core.explain_models(one._model, two._model, tolerance, samples, seed))
