"""What the modules for automatic differentiation share: quantities on arrays of shape (..., n), and their derivatives, by the kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core
from ._dynamics import Dynamics
from ._robot import Robot

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.floating[Any]]

# Inputs of each quantity, and whether the first is all that it has.
INPUTS: dict[str, tuple[str, ...]] = {
    "inverse": ("q", "v", "a"),
    "forward": ("q", "v", "tau"),
    "bias": ("q", "v"),
    "gravity": ("q",),
    "mass": ("q",),
    "energy": ("q", "v"),
}


class Batched:
    """Quantities of one robot as functions of arrays (..., n), and their Jacobians. States are in the precision of the arrays."""

    def __init__(self, robot: Robot | str | Dynamics, **options: Any) -> None:
        if isinstance(robot, Dynamics):
            if options:
                raise ValueError(f"options are given to a Dynamics when it is made: {', '.join(sorted(options))}")
            self.dynamics = robot
        else:
            self.dynamics = Dynamics(robot, **{"inverse_derivatives": True, "forward_derivatives": True, **options})
        self.robot = self.dynamics.robot
        if any(joint.type == "ball" for joint in self.robot.joints):
            raise ValueError(f"robot {self.robot.name!r} has ball joints, which ulna.jax and ulna.torch do not differentiate by; use ulna.Dynamics and ulna.Derivative")
        self._derivatives: dict[tuple[str, str], Any] = {}
        self.picked = self.robot._picked  # places in q of what its numbers depend on: the dependent positions of loops are guesses

    def tail(self, quantity: str) -> tuple[int, ...]:
        """The shape of the quantity in one state."""
        n = self.robot.nv
        return {"mass": (n, n), "energy": (2,)}.get(quantity, (n,))

    def widths(self, name: str) -> tuple[int, ...]:
        """How many numbers an input has in one state; q of a robot with loops may be that of its independent joints alone."""
        return (self.robot.nv,) if name != "q" else (self.robot.nq,) if len(self.picked) == self.robot.nq else (self.robot.nq, len(self.picked))

    def value(self, quantity: str, *states: Array) -> Array:
        rows, batch = self._rows(states)
        return getattr(self.dynamics, quantity)(*rows).reshape(batch + self.tail(quantity))  # type: ignore[no-any-return]

    def jacobians(self, quantity: str, *states: Array) -> tuple[Array, ...]:
        """By each input: (..., shape of the quantity, nv). Of a free base the first six columns are a turn and a move in its own axes."""
        import numpy as np

        rows, batch = self._rows(states)
        q, n = rows[0], self.robot.nv
        if quantity in ("inverse", "forward"):
            blocks = getattr(self.dynamics, quantity + "_derivatives")(*rows)
        elif quantity in ("bias", "gravity"):
            zero = np.zeros((len(q), n), q.dtype)
            blocks = self.dynamics.inverse_derivatives(*rows, *[zero] * (3 - len(rows)))[: len(rows)]
        else:
            blocks = [self._derivative(quantity, name)(rows) for name in INPUTS[quantity]]
        shape = batch + self.tail(quantity) + (n,)
        return tuple(np.ascontiguousarray(block, q.dtype).reshape(shape) for block in blocks)

    def _derivative(self, quantity: str, by: str) -> Any:
        """Derivatives by differentiation of expressions, for quantities without a kernel."""
        if (quantity, by) not in self._derivatives:
            options = self.dynamics._options
            core = _core.make_derivative(
                self.dynamics._core.loaded_model(), quantity, by, False, False, "", options["rotor"], options["friction"], self.robot.snap
            )
            sizes = [self.robot.nq, self.robot.nv, int(self.robot.base == "free"), *self.robot._model.quaternions]
            self._derivatives[quantity, by] = lambda rows: core.call([self.dynamics.close(rows[0]), *rows[1:]], [], [], [], sizes)
        return self._derivatives[quantity, by]

    @staticmethod
    def _rows(states: tuple[Array, ...]) -> tuple[list[Array], tuple[int, ...]]:
        import numpy as np

        batch = np.broadcast_shapes(*(x.shape[:-1] for x in states))
        rows = [np.ascontiguousarray(np.broadcast_to(x, batch + x.shape[-1:])).reshape(-1, x.shape[-1]) for x in states]
        return rows, batch


def require_states(owner: Batched, quantity: str, shapes: list[tuple[int, ...]], kinds: list[tuple[bool, Any]]) -> None:
    """``kinds``: whether each holds real numbers, and its dtype."""
    for name, shape, (is_real, dtype) in zip(INPUTS[quantity], shapes, kinds):
        if not is_real:
            raise TypeError(f"{name} has dtype {dtype}, but must hold real numbers: float64 or float32")
        if not shape or shape[-1] not in owner.widths(name):
            raise ValueError(f"{name} has the shape {tuple(shape)}, but its last axis must have {' or '.join(map(str, owner.widths(name)))} numbers")
