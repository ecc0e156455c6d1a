"""From logs of a robot to its parameters."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import Any, Literal, Union

from . import _core
from ._errors import SourceWarning, settle
from ._numbers import real
from ._results import _pandas
from ._robot import Robot, load

Friction = Literal["none", "viscous", "coulomb", "asymmetric", "stribeck", "load", "smooth", "auto"]
LogSource = Union[str, "os.PathLike[str]", Mapping[str, Any], Any]


class Identified(dict[str, Any]):
    """What :func:`ulna.identify` found: ``base``, ``friction`` (``name``, ``value``, ``sigma``, ``given``, ``unit``), ``validation``, ``least_squares``, ``before``
    (``relative_error``, ``by_joint``), ``consistency_price``, ``cutoff`` and ``cutoff_chosen_by``, ``written`` (what the URDF holds), ``delay``, ``covariance``, ``parameters``, ``predicted``, ``findings``, ``notes`` (their texts), ``urdf``."""

    identified: Robot  #: the robot with physically consistent bodies, and the friction that was found

    def to_pandas(self) -> Any:
        """A DataFrame with a row a base parameter and friction coefficient."""
        return _pandas().DataFrame(self["base"] + self["friction"])


def _log(robot: Robot, log: LogSource, torques: bool) -> Any:
    if isinstance(log, (str, os.PathLike)):
        made, problems = _core.read_log(robot._model, os.fspath(log), torques)
        settle(problems, made is not None, True)
        return made
    import numpy as np

    names = [joint.name for joint in robot.joints]

    def part(key: str) -> Any:
        columns = [f"{key}.{name}" for name in names]
        if all(column in log for column in columns):
            return np.column_stack([real(column, log[column]) for column in columns])
        return real(key, log[key]) if key in log else None

    if "t" not in log:
        raise ValueError("a log needs a column or an array 't'")
    q, tau = part("q"), part("tau")
    if q is None or (torques and tau is None):
        raise ValueError("a log needs 'q' and 'tau', or a column q.NAME and tau.NAME for each joint of robot.joints")
    parts = [real("t", log["t"]), q, part("v"), part("a"), tau]
    rows = parts[0].shape[0] if parts[0].ndim == 1 else -1
    if all(x is None or (x.ndim and x.shape[0] == rows) for x in parts):  # else the shape is refused below
        kept: Any = np.ones(rows, dtype=np.bool_)
        for x in parts:
            if x is not None:
                kept &= ~np.isnan(x).reshape(rows, -1).any(axis=1)
        if not kept.all():
            lost = rows - int(kept.sum())
            warnings.warn(f"log: {lost} rows have a nan, the first is row {int(np.argmin(kept)) + 1}; they are left out", SourceWarning, stacklevel=4)
            parts = [None if x is None else x[kept] for x in parts]
    return ("log", *parts)


def _logs(robot: Robot, logs: Any, torques: bool = True) -> list[Any]:
    if logs is None:
        return []
    return [_log(robot, log, torques) for log in (logs if isinstance(logs, (list, tuple)) else [logs])]


def identify(
    robot: Robot,
    log: LogSource | list[LogSource],
    *,
    validate: LogSource | list[LogSource] | None = None,
    predict: LogSource | list[LogSource] | None = None,
    friction: Friction = "coulomb",
    rotors: bool = False,
    cutoff: float | None = None,
    robust: bool = True,
    train: float = 0.6,
    without: list[str] | None = None,
    total_mass: float | None = None,
    masses: Mapping[str, float] | None = None,
) -> Identified:
    """The parameters and the friction that predict the torques of a log, or of several: see docs/identify.md.

    :param log: path of a CSV file; a DataFrame or mapping with ``t`` and columns ``q.NAME``, ``tau.NAME``, perhaps ``v.NAME`` and ``a.NAME``; or a mapping with arrays ``t``
        (N,), ``q`` and ``tau`` (N, n), perhaps ``v`` and ``a``. What was not measured is derived.
    :param validate: a log to compare torques with, in place of the last part of ``log``.
    :param predict: logs whose torques are predicted: ``predicted`` has an array (N, n) of each.
    :param friction: the friction model; "auto" chooses by cross-validation.
    :param rotors: fit rotor inertias, in place of using the robot's.
    :param cutoff: cut-off frequency of the low-pass [Hz]; None: the one by which held-out torques are predicted best.
    :param robust: give outliers less weight.
    :param train: without ``validate``: share of the rows that the validated fit uses.
    :param without: names of joints whose torques are left out, because their channels are dead or wrong.
    :param total_mass: mass of the whole robot, weighed [kg].
    :param masses: masses of links that were weighed, by their names [kg].

    Channels of no use (dead, in degrees, uncorrelated with the motion) raise ``ValueError`` with their names. ``findings`` has what else is odd: ``kind``, ``severity``,
    ``log``, ``joint``, ``column``, ``row`` and ``text`` of each; those of severity "warning" are also Python warnings.

    >>> import numpy as np, ulna
    >>> truth = ulna.load("ur5")
    >>> t = np.arange(0, 20, 0.01)
    >>> w = 0.5 + 0.3 * np.arange(6)
    >>> q, v, a = np.sin(np.outer(t, w)), w * np.cos(np.outer(t, w)), -w**2 * np.sin(np.outer(t, w))
    >>> log = {"t": t, "q": q, "v": v, "a": a, "tau": ulna.Dynamics(truth).inverse(q, v, a)}
    >>> found = ulna.identify(truth, log)
    >>> found["validation"]["relative_error"] < 1e-8
    True
    >>> found.identified.nv
    6
    """
    result = Identified(
        _core.identify(robot._model, _logs(robot, log), _logs(robot, validate), _logs(robot, predict, False), friction, rotors, cutoff or 0.0, robust, train, list(without or []), total_mass or 0.0, list((masses or {}).items()), robot.snap)
    )
    for finding in result["findings"]:
        if finding["severity"] == "warning":
            warnings.warn(f"{finding['log']}: {finding['text']}" if finding["log"] else finding["text"], SourceWarning, stacklevel=2)
    if result["urdf"] is not None:
        result.identified = load(result["urdf"], gravity=robot.gravity, file="identified.urdf", snap=robot.snap)
    return result


class Diagnosed(dict[str, Any]):
    """What :func:`ulna.doctor` found: ``causes`` (``kind``, ``joint`` or ``link``, ``explains``, ``edit``, ``in``, ``left``, ``also``), ``before``, ``after``, ``fitted``, ``cutoff``,
    ``findings``, ``notes`` (their texts), ``urdf``. True when nothing is wrong."""

    repaired: Robot  #: the robot with all edits that are of the model

    def __bool__(self) -> bool:
        return bool(self["sound"])

    def to_pandas(self) -> Any:
        """A DataFrame with a row a cause."""
        return _pandas().DataFrame(self["causes"])


def doctor(robot: Robot, log: LogSource | list[LogSource], *, cutoff: float | None = None, urdf: str | None = None) -> Diagnosed:
    """What is wrong with a model, or with a log of its robot: causes, each with its share of the squared error and the edit that repairs it: see docs/doctor.md.

    :param log: as :func:`ulna.identify` takes it.
    :param cutoff: cut-off frequency of the low-pass [Hz]; None: where the motion ends and noise has not begun.
    :param urdf: text of the robot's URDF file: ``urdf`` of the result is this text with the edits that are of the model, and everything else as it was.

    >>> import numpy as np, ulna
    >>> truth = ulna.load("ur5")
    >>> t = np.arange(0, 20, 0.01)
    >>> w = 0.5 + 0.3 * np.arange(6)
    >>> q, v, a = np.sin(np.outer(t, w)), w * np.cos(np.outer(t, w)), -w**2 * np.sin(np.outer(t, w))
    >>> tau = ulna.Dynamics(truth).inverse(q, v, a)
    >>> bool(ulna.doctor(truth, {"t": t, "q": q, "tau": tau}))
    True
    >>> cause = ulna.doctor(truth, {"t": t, "q": np.degrees(q), "tau": tau})["causes"][0]
    >>> cause["kind"], cause["joint"], cause["in"]
    ('units', 'all joints', 'log')
    """
    result = Diagnosed(_core.doctor(robot._model, _logs(robot, log), cutoff or 0.0, urdf or "", robot.snap))
    for finding in result["findings"]:
        if finding["severity"] == "warning":
            warnings.warn(finding["text"], SourceWarning, stacklevel=2)
    written = result.pop("written")
    if written is not None:
        result.repaired = load(written, gravity=robot.gravity, file="repaired.urdf", snap=robot.snap)
    return result


def excite(
    robot: Robot,
    *,
    period: float = 20,
    waves: int = 5,
    acceleration: float = 0,
    speed: float = 1,
    part: float = 0.9,
    by: Literal["det", "condition"] = "det",
    evaluations: int = 2000,
    seed: int = 1,
    rate: float = 100,
) -> dict[str, Any]:
    """A motion within the robot's limits from which its parameters can be identified: ``t``, ``q``, ``v``, ``a``, ``tau``, ``condition``, ``log_det``, and what random motions
    reach. ``of_limits`` and ``followers`` have the share of its limits that each joint uses, and each joint that follows another. The rows are checked by
    :func:`ulna.check_motion`; ``ValueError`` where one of them, or what a controller interpolates between two, is beyond a limit.

    >>> import ulna
    >>> motion = ulna.excite(ulna.load("planar-2r"), evaluations=200)
    >>> motion["q"].shape
    (2001, 2)
    """
    return _core.excite(robot._model, period, waves, acceleration, speed, part, by == "condition", evaluations, seed, rate, robot.snap)


def check_motion(robot: Robot, t: Any, q: Any, v: Any = None, a: Any = None, tau: Any = None, *, speed: float = 0, acceleration: float = 0) -> list[dict[str, Any]]:
    """Limits that a motion breaks, of every joint and of joints that follow others, at its rows and between them, as controllers interpolate: ``joint``, ``of``
    ("position", "speed", "acceleration", "effort"), ``limit``, ``value`` (the farthest beyond), ``t`` (when), ``first`` and ``text``. Empty for a motion that keeps all
    limits. Torques are computed from the robot's masses and friction; ``tau``, where it is given, is compared, too.

    :param t: times (N,), ascending.
    :param q: positions (N, nq); ``v``, ``a``, ``tau`` (N, nv) or None.
    :param speed: limit of joints that the robot has none for; 0: none.
    :param acceleration: limit of every joint; 0: none.

    >>> import ulna
    >>> robot = ulna.load("ur5")
    >>> [b["of"] for b in ulna.check_motion(robot, [0, 1], [[0] * 6, [5] + [0] * 5])]
    ['speed']
    """
    import numpy as np

    arrays = [None if x is None else np.asarray(x, dtype=float) for x in (t, q, v, a, tau)]
    return _core.check_motion(robot._model, arrays, speed, acceleration, robot.snap)
