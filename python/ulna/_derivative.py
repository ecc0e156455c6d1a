"""Derivatives of any quantity, by differentiation of its expressions: for all quantities without a kernel of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _core
from ._numbers import vector
from ._robot import Robot, load


class Derivative:
    """Derivatives of a quantity by one of its inputs, by a payload or by masses; or their products with vectors, without the matrix.

    :param of: a quantity: "inverse", "forward", "gravity", "bias", "mass", "coriolis", "energy", "momentum", "pose", "jacobian" and so on.
    :param by: one of its inputs ("q", "v", "a", "tau"); "payload": mass and mass centre of a point on ``link``; "masses" of the moving bodies, whose mass centres stay.
    :param times: calls take a vector x and return the product of the derivatives with it.
    :param weights: calls take a vector y and return yᵀ times the derivatives; with ``times``, the Hessian of yᵀ times the quantity, times x.
    :param link: the link of "pose" and "jacobian", and of a payload.
    :param friction: viscous · v + coulomb · sign(v), sign(0) = 0. The sign is a constant of the state: derivatives of accelerations depend on it; by v it has none.

    Rows are the numbers of the quantity, of a matrix column by column; of a pose the rotation matrix row by row, then the origin. Columns are coordinates; for a free base the first six are rotations and translations in its own axes.
    Of a robot with loops, they are the independent ones, and derivatives by q go along closed motions.

    >>> import numpy as np, ulna
    >>> q = np.array([0.3, -0.5]); v = np.array([1.0, 2.0])
    >>> d = ulna.Derivative("planar-2r", "gravity", "q")(q)
    >>> d.shape, np.allclose(d, d.T)                                   # the Hessian of the potential energy
    ((2, 2), True)
    >>> hessian = ulna.Derivative("planar-2r", "energy", "q", times=True, weights=True)
    >>> np.allclose(hessian(q, [0, 0], x=v, y=[0, 1]), d @ v)
    True
    """

    def __init__(
        self,
        robot: Robot | str,
        of: str = "inverse",
        by: str = "q",
        *,
        times: bool = False,
        weights: bool = False,
        link: str = "",
        rotor: bool = True,
        friction: bool = False,
    ) -> None:
        self.robot = robot if isinstance(robot, Robot) else load(robot)
        self._core = _core.make_derivative(self.robot._model, of, by, times, weights, link, rotor, friction, self.robot.snap)
        self._sizes = [self.robot.nq, self.robot.nv, int(self.robot.base == "free"), *self.robot._model.quaternions]

    @property
    def columns(self) -> list[str]:
        """What the columns belong to."""
        return self._core.columns

    @property
    def counts(self) -> dict[str, int]:
        """Operations of one call."""
        return self._core.counts

    @property
    def compiled(self) -> bool:
        """Does machine code compute it, or dual numbers through the templates?"""
        return self._core.compiled

    @property
    def refused(self) -> str:
        """Why not, where the machine code differed from the templates when it was made: normally empty."""
        return self._core.refused

    def __call__(self, *states: Any, x: Sequence[float] = (), y: Sequence[float] = (), payload: Sequence[float] = ()) -> Any:
        """``states``: the inputs of the quantity, (n,) or (N, n) each. ``payload``: mass and mass centre that the link holds already, 4 numbers.

        :returns: (rows, columns), or (rows,) with ``times``, or (columns,) with ``weights``; with a leading N for N states.
        """
        if states and self.robot.loops:
            states = (self.robot.close(states[0]), *states[1:])
        return self._core.call(list(states), vector("x", x), vector("y", y), vector("payload", payload), self._sizes)
