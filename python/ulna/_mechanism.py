"""Robots whose links form loops: four-bars, parallelograms, Deltas."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from . import _core
from ._errors import settle
from ._numbers import number, real, vector

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike


class _Refused(ValueError):
    """A state that must not be computed."""


class Mechanism:
    """A robot with loops, by Kane's method: some joints are independent, the others follow, and need no torque.

    States are arrays of one state, or with one state per row. ``q`` is of all joints of the tree (``tree_joints``), the dependent ones being a guess that is closed;
    or of the independent joints alone, closed from the reference assembly. Speeds ``u``, accelerations ``a`` and torques are of ``joints``, the independent ones.

    A state that does not close, is singular, or closes beyond a singular assembly raises ``ValueError``. Among several, its rows are NaN, a ``RuntimeWarning`` says
    so, and :meth:`problems` says why. NaN in a state makes all its results NaN.

    >>> import ulna
    >>> robot = ulna.load_mechanism("five-bar")
    >>> robot.joints, robot.passive, robot.mobility, robot.redundant
    (('left_motor', 'right_motor'), ('left_elbow', 'right_elbow'), 2, 3)
    >>> tau = robot.inverse([0.1, -0.2], [1, 0], [0, 0])
    >>> bool(abs(robot.forward([0.1, -0.2], [1, 0], tau)).max() < 1e-9)
    True
    """

    def __init__(self, core: Any) -> None:
        self._core = core
        tree, independent, dependent, loops = core.names()
        self.name: str = core.name
        self.tree_joints: tuple[str, ...] = tuple(tree)
        self.joints: tuple[str, ...] = tuple(independent)  #: whose coordinates are independent, in the order of u, a and tau
        self.passive: tuple[str, ...] = tuple(dependent)
        self.loops: tuple[str, ...] = tuple(loops)
        self.mobility: int = core.mobility
        self.redundant: int = core.redundant  #: equations of the loops that follow from the others
        self.singularity: float = core.singularity  #: 1 far from a singular assembly, 0 in one; of the reference

    def __repr__(self) -> str:
        return f"Mechanism({self.name!r}, {self.mobility} degrees of freedom, {len(self.loops)} loops)"

    @property
    def reference(self) -> np.ndarray:
        """A closed configuration: q of all joints."""
        import numpy as np

        return np.array(self._core.reference)

    def _map(self, function: Callable[..., list[float]], size: int, states: tuple[ArrayLike, ...], last: str = "a") -> np.ndarray:
        import numpy as np

        arrays = [real(name, x) for name, x in zip(("q", "u", last), states)]
        single = all(x.ndim == 1 for x in arrays)
        rows = [np.atleast_2d(x) for x in arrays]
        count = max(len(x) for x in rows)
        for x in rows:
            if len(x) not in (1, count):
                raise ValueError(f"{len(x)} states beside {count}")
        out = np.empty((count, size))
        refused: list[str] = []
        for k in range(count):
            try:
                out[k] = function(*(x[k if len(x) == count else 0].tolist() for x in rows))
            except _Refused as why:
                if single:
                    raise
                refused.append(f"state {k}: {why}")
                out[k] = np.nan
        if refused:
            warnings.warn(f"{len(refused)} of {count} states are NaN (problems(q) says why): {refused[0]}", RuntimeWarning, stacklevel=3)
        return out[0] if single else out

    def _state(self, q: list[float]) -> tuple[list[float], float]:
        closed, residual, problem = self._core.close(q)
        if problem:
            raise _Refused(problem)
        return closed, residual

    def _closed(self, q: list[float]) -> list[float]:
        return self._state(q)[0]

    def problems(self, q: ArrayLike) -> list[str]:
        """Of every state: why it cannot be computed, and a cure; empty where it can.

        >>> import ulna
        >>> ulna.load_mechanism("five-bar").problems([[0.1, -0.2], [1.6, -1.6]])[1][:40]
        "loop 'tip' does not close in this state:"
        """
        import numpy as np

        return [self._core.close(row)[2] for row in np.atleast_2d(np.asarray(q, dtype=float)).tolist()]

    def close(self, q: ArrayLike) -> np.ndarray:
        """q of all joints, closed."""
        return self._map(self._closed, len(self.tree_joints), (q,))

    def residual(self, q: ArrayLike) -> np.ndarray:
        """What is left of the conditions after closing [m, or rad]."""
        return self._map(lambda x: [self._state(x)[1]], 1, (q,))[..., 0]

    def velocities(self, q: ArrayLike, u: ArrayLike) -> np.ndarray:
        """Speeds of all joints of the tree."""
        return self._map(lambda x, y: self._core.velocities(self._closed(x), y), len(self.tree_joints), (q, u))

    def accelerations(self, q: ArrayLike, u: ArrayLike, a: ArrayLike) -> np.ndarray:
        """Accelerations of all joints of the tree."""
        return self._map(lambda x, y, z: self._core.accelerations(self._closed(x), y, z), len(self.tree_joints), (q, u, a))

    def inverse(self, q: ArrayLike, u: ArrayLike, a: ArrayLike, *, rotor: bool = True, friction: bool = False) -> np.ndarray:
        """Torques of the independent joints."""
        return self._map(lambda x, y, z: self._core.inverse(self._closed(x), y, z, rotor, friction), self.mobility, (q, u, a))

    def bias(self, q: ArrayLike, u: ArrayLike, *, friction: bool = False) -> np.ndarray:
        """Torques at zero acceleration of the independent joints."""
        return self.inverse(q, u, [0.0] * self.mobility, friction=friction)

    def gravity(self, q: ArrayLike) -> np.ndarray:
        """Torques that hold the robot still."""
        return self.inverse(q, [0.0] * self.mobility, [0.0] * self.mobility)

    def forward(self, q: ArrayLike, u: ArrayLike, tau: ArrayLike, *, rotor: bool = True, friction: bool = False) -> np.ndarray:
        """Accelerations of the independent joints."""
        return self._map(lambda x, y, z: self._core.forward(self._closed(x), y, z, rotor, friction), self.mobility, (q, u, tau), "tau")

    def mass(self, q: ArrayLike, *, rotor: bool = True) -> np.ndarray:
        """The inertia matrix of the independent joints."""
        flat = self._map(lambda x: self._core.mass(self._closed(x), rotor), self.mobility**2, (q,))
        return flat.reshape(*flat.shape[:-1], self.mobility, self.mobility)

    def energy(self, q: ArrayLike, u: ArrayLike) -> np.ndarray:
        """Kinetic and potential energy."""
        return self._map(lambda x, y: list(self._core.energy(self._closed(x), y)), 2, (q, u))

    def reactions(self, q: ArrayLike, u: ArrayLike, a: ArrayLike) -> np.ndarray:
        """Of every loop: the force, then the moment that its predecessor exerts on its successor, in the axes of its frame on the predecessor."""
        flat = self._map(lambda x, y, z: self._core.reactions(self._closed(x), y, z), 6 * len(self.loops), (q, u, a))
        return flat.reshape(*flat.shape[:-1], len(self.loops), 6)


def load_mechanism(
    source: str | os.PathLike[str],
    *,
    loops: str | os.PathLike[str] | None = None,
    independent: Iterable[str] = (),
    lock: Mapping[str, float] | Iterable[str] = (),
    gravity: Iterable[float] | None = None,
    unchecked: bool = False,
) -> Mechanism:
    """A robot with its loops, from a file, from text, or by name; :func:`load` takes trees.

    :param source: a URDF file with ``<loop>`` elements, a DH table with ``loops:``, any robot beside a file of loops; such a text; or a name.
    :param loops: a YAML file of further loops (docs/loops.md).
    :param independent: the names of all independent joints, in place of the file's.
    :raises SourceError: lists every problem, with line, cause and cure.

    >>> import ulna
    >>> ulna.load_mechanism("delta").joints
    ('a_motor', 'b_motor', 'c_motor')
    """
    locks = [(name, number(f"lock of {name!r}", value)) for name, value in lock.items()] if isinstance(lock, Mapping) else [(name, 0.0) for name in lock]
    core, rows, found = _core.load_mechanism(
        os.fspath(source), "" if loops is None else os.fspath(loops), list(independent), locks, None if gravity is None else vector("gravity", gravity), unchecked
    )
    settle(rows, core is not None, found)
    return Mechanism(core)
