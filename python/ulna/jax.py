"""Dynamics inside JAX: functions that jit, vmap, grad, jvp and vjp take, with exact derivatives. Needs the package jax, which ulna does not install.

The numbers are made on the CPU by the kernels of :class:`ulna.Dynamics`, in the precision of the arrays: float32 unless ``jax_enable_x64`` is set. A vmap, or
leading axes, become one call for all states. First derivatives are the kernels' own, in both directions; there are none of second order.

>>> import jax, jax.numpy as jnp, ulna.jax
>>> arm = ulna.jax.Dynamics("panda")
>>> q = jnp.full((1000, 7), 0.1)
>>> jax.grad(lambda q: jnp.sum(arm.gravity(q) ** 2))(q).shape
(1000, 7)
"""

# mypy: ignore-errors

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ._batched import INPUTS, Batched, require_states
from ._dynamics import Dynamics as _Dynamics
from ._robot import Robot

__all__ = ["Dynamics"]


class Dynamics:
    """One robot's dynamics for JAX.

    :param robot: a :class:`ulna.Robot`, what :func:`ulna.load` takes, or a :class:`ulna.Dynamics`, whose payload and friction it then has.
    :param options: those of :class:`ulna.Dynamics`, if the robot is not one.

    All functions take arrays (..., n), whose leading axes are broadcast, and give (..., n), (..., n, n) or (..., 2). Derivatives by the quaternion of a
    free base ignore its length.
    """

    def __init__(self, robot: Robot | str | _Dynamics, **options: Any) -> None:
        self._batched = Batched(robot, **options)
        self.robot = self._batched.robot
        self._functions = {quantity: self._function(quantity) for quantity in INPUTS}

    def inverse(self, q: Any, v: Any, a: Any) -> jax.Array:
        """Torques that give the accelerations."""
        return self._call("inverse", q, v, a)

    def forward(self, q: Any, v: Any, tau: Any) -> jax.Array:
        """Accelerations under the torques."""
        return self._call("forward", q, v, tau)

    def bias(self, q: Any, v: Any) -> jax.Array:
        """Torques at zero acceleration."""
        return self._call("bias", q, v)

    def gravity(self, q: Any) -> jax.Array:
        """Torques that hold the robot still."""
        return self._call("gravity", q)

    def mass(self, q: Any) -> jax.Array:
        """Inertia matrix."""
        return self._call("mass", q)

    def energy(self, q: Any, v: Any) -> jax.Array:
        """Kinetic and potential energy."""
        return self._call("energy", q, v)

    def _call(self, quantity: str, *states: Any) -> jax.Array:
        arrays = [jnp.asarray(x) for x in states]
        real = [jnp.issubdtype(x.dtype, jnp.floating) or jnp.issubdtype(x.dtype, jnp.integer) for x in arrays]
        require_states(self._batched, quantity, [x.shape for x in arrays], [(is_real, x.dtype) for is_real, x in zip(real, arrays)])
        dtype = jnp.result_type(*arrays, jnp.float32)
        batch = jnp.broadcast_shapes(*(x.shape[:-1] for x in arrays))
        return self._functions[quantity](*(jnp.broadcast_to(x.astype(dtype), batch + x.shape[-1:]) for x in arrays))

    def _function(self, quantity: str) -> Any:
        batched = self._batched
        tail, nv = batched.tail(quantity), batched.robot.nv

        @jax.custom_jvp
        def function(*states: jax.Array) -> jax.Array:
            shape = jax.ShapeDtypeStruct(states[0].shape[:-1] + tail, states[0].dtype)
            return jax.pure_callback(lambda *x: batched.value(quantity, *map(np.asarray, x)), shape, *states, vmap_method="broadcast_all")

        def jacobians(*states: jax.Array) -> tuple[jax.Array, ...]:
            shape = jax.ShapeDtypeStruct(states[0].shape[:-1] + tail + (nv,), states[0].dtype)
            call = lambda *x: batched.jacobians(quantity, *map(np.asarray, x))  # noqa: E731
            return jax.pure_callback(call, (shape,) * len(states), *states, vmap_method="broadcast_all")

        @function.defjvp
        def rule(states: tuple[jax.Array, ...], rates: tuple[jax.Array, ...]) -> tuple[jax.Array, jax.Array]:
            q, rate = states[0], rates[0]
            if q.shape[-1] != len(batched.picked):  # loops: the dependent positions are guesses
                q, rate = q[..., np.array(batched.picked)], rate[..., np.array(batched.picked)]
            along = [_moves(q, rate, nv), *rates[1:]]
            total: Any = 0
            for block, rate in zip(jacobians(*states), along):
                total = total + jnp.einsum("...i,...i->...", block, rate.reshape(rate.shape[:-1] + (1,) * len(tail) + (nv,)))
            return function(*states), total

        return function


def _moves(q: jax.Array, rate: jax.Array, nv: int) -> jax.Array:
    """From a rate of q to that of the coordinates: of a free base the turn and the move in its own axes, linear in the rate."""
    if q.shape[-1] == nv:
        return rate
    x, y, z, w = (q[..., k] for k in range(3, 7))
    dx, dy, dz, dw = (rate[..., k] for k in range(3, 7))
    squared = x * x + y * y + z * z + w * w
    # 2 conj(quaternion) * rate, its vector part: what changes the length is left out.
    turn = [
        2 * (w * dx - x * dw - y * dz + z * dy) / squared,
        2 * (w * dy - y * dw - z * dx + x * dz) / squared,
        2 * (w * dz - z * dw - x * dy + y * dx) / squared,
    ]
    u = -jnp.stack([x, y, z], -1)
    p = rate[..., :3]
    twice = 2 * jnp.cross(u, p) / squared[..., None]
    move = p + w[..., None] * twice + jnp.cross(u, twice)
    return jnp.concatenate([jnp.stack(turn, -1), move, rate[..., 7:]], -1)
