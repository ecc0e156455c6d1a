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


def _state(robot: Robot, q: Any, v: Any, a: Any, tau: Any) -> tuple[list[float], list[float], list[float]]:
    if a is not None and tau is not None:
        raise ValueError("a state has accelerations a or joint forces tau, not both")
    parts = {"q": (q, robot.nq), "v": (v, robot.nv), "a" if tau is None else "tau": (a if tau is None else tau, robot.nv)}
    out = []
    for name, (given, size) in parts.items():
        array = real(name, [0.0] * size if given is None else given)
        if array.shape != (size,):
            raise ValueError(f"{name} has the shape {array.shape}, but must have {(size,)}: one state is taken")
        out.append([float(x) for x in array])
    return out[0], out[1], out[2]


def _shaped(value: list[float], shape: tuple[int, int]) -> Any:
    import numpy as np

    rows, columns = shape
    return value[0] if rows * columns == 1 else np.array(value) if columns == 1 else np.array(value).reshape(rows, columns)


def intermediates(robot: Any, formulation: str, q: Any, v: Any = None, a: Any = None, *, tau: Any = None, quantity: str = "") -> list[dict[str, Any]]:
    """Every quantity that a formulation computes on the way, in the order of computation, with the results last: what to check an own implementation with.

    :param robot: a :class:`Robot`, a path or name.
    :param formulation: its id; :func:`formulations` lists them.
    :param q, v, a: one state; what is missing is zero.
    :param tau: joint forces in place of accelerations, of a formulation of forward dynamics.
    :param quantity: "inverse", "forward", "mass", …; the first that the formulation gives where it is missing.
    :return: dicts with ``symbol``, ``equation`` (its number in the paper), ``link``, ``name``, ``meaning`` and ``value``: a float, a vector or a matrix.

    >>> import ulna
    >>> lines = ulna.intermediates("planar-2r", "newton-euler", [0.7, -1.1], [1.3, -0.4], [0.9, 2.1])
    >>> omega = next(line for line in lines if line["name"] == "omega2")
    >>> omega["equation"], omega["link"], [round(float(x), 6) for x in omega["value"]]
    ('3.15', '2', [0.0, 0.0, 0.9])
    """
    side = load(robot) if isinstance(robot, (str, os.PathLike)) else robot
    lines = _core.intermediates(side._model, formulation, quantity, *_state(side, q, v, a, tau))
    for line in lines:
        line["value"] = _shaped(line["value"], line.pop("shape"))
    return lines


def explain_intermediates(
    robot: Any, formulation: str, lines: Any, q: Any, v: Any = None, a: Any = None, *, tau: Any = None, quantity: str = "", tolerance: float = 1e-9
) -> dict[str, Any]:
    """Which line of an own implementation of a formulation is the first that differs, and why: see :func:`intermediates` for the state.

    :param lines: dicts with ``symbol``, ``link`` and ``value`` as :func:`intermediates` gives them, or a mapping of names to values: ``{"omega2": [0, 0, 1]}``.
    :param tolerance: largest difference that counts as agreement, relative to the largest value of the symbol.
    :return: ``agree``; ``first``, None or a dict with ``name``, ``equation``, ``value`` (the given one), ``right``, ``difference``, ``inputs`` (what the line is
        computed from) and ``hints`` (what explains it); ``differ``, the names of all lines that differ; ``missing``, of those that are not given.

    >>> import ulna
    >>> state = [0.7, -1.1], [1.3, -0.4], [0.9, 2.1]
    >>> lines = ulna.intermediates("planar-2r", "newton-euler", *state)
    >>> force = next(line for line in lines if line["name"] == "f1")
    >>> force["value"] = -force["value"]
    >>> first = ulna.explain_intermediates("planar-2r", "newton-euler", lines, *state)["first"]
    >>> first["name"], first["equation"], first["hints"][0]
    ('f1', '3.19', 'its sign is opposite: the value is minus the right one')
    """
    import numpy as np

    side = load(robot) if isinstance(robot, (str, os.PathLike)) else robot
    rows = [{"symbol": name, "value": value} for name, value in lines.items()] if isinstance(lines, Mapping) else list(lines)
    given = []
    for row in rows:
        if "symbol" not in row or "value" not in row:
            raise ValueError(f"a line has the keys {sorted(row)}, but needs symbol and value")
        link = row.get("link")
        given.append((str(row["symbol"]), "" if link is None else str(link), [float(x) for x in np.ravel(row["value"])]))
    found = _core.explain_lines(side._model, formulation, quantity, *_state(side, q, v, a, tau), given, tolerance)
    if found["first"] is not None:
        shape = found["first"].pop("shape")
        for key in ("value", "right"):
            found["first"][key] = _shaped(found["first"][key], shape)
    return found
