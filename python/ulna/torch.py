"""Dynamics inside PyTorch: functions of tensors with exact derivatives, for backward, forward mode and torch.func. Needs the package torch, which ulna does not
install.

The numbers are made on the CPU by the kernels of :class:`ulna.Dynamics`, in the precision of the tensors, float32 or float64. Leading axes, or a vmap, become one
call for all states. First derivatives are the kernels' own; there are none of second order.

>>> import torch, ulna.torch
>>> arm = ulna.torch.Dynamics("panda")
>>> q = torch.full((1000, 7), 0.1, dtype=torch.float64, requires_grad=True)
>>> arm.gravity(q).square().sum().backward()
>>> q.grad.shape
torch.Size([1000, 7])
"""

# mypy: ignore-errors

from __future__ import annotations

from typing import Any

import torch

from ._batched import INPUTS, Batched, require_states
from ._dynamics import Dynamics as _Dynamics
from ._robot import Robot

__all__ = ["Dynamics"]


class Dynamics:
    """One robot's dynamics for PyTorch.

    :param robot: a :class:`ulna.Robot`, what :func:`ulna.load` takes, or a :class:`ulna.Dynamics`, whose payload and friction it then has.
    :param options: those of :class:`ulna.Dynamics`, if the robot is not one.

    All functions take tensors (..., n), whose leading axes are broadcast, and give (..., n), (..., n, n) or (..., 2), on the device of the first. Derivatives
    by the quaternion of a free base ignore its length.
    """

    def __init__(self, robot: Robot | str | _Dynamics, **options: Any) -> None:
        self._batched = Batched(robot, **options)
        self.robot = self._batched.robot

    def inverse(self, q: torch.Tensor, v: torch.Tensor, a: torch.Tensor) -> torch.Tensor:
        """Torques that give the accelerations."""
        return self._call("inverse", q, v, a)

    def forward(self, q: torch.Tensor, v: torch.Tensor, tau: torch.Tensor) -> torch.Tensor:
        """Accelerations under the torques."""
        return self._call("forward", q, v, tau)

    def bias(self, q: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        """Torques at zero acceleration."""
        return self._call("bias", q, v)

    def gravity(self, q: torch.Tensor) -> torch.Tensor:
        """Torques that hold the robot still."""
        return self._call("gravity", q)

    def mass(self, q: torch.Tensor) -> torch.Tensor:
        """Inertia matrix."""
        return self._call("mass", q)

    def energy(self, q: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        """Kinetic and potential energy."""
        return self._call("energy", q, v)

    def _call(self, quantity: str, *states: torch.Tensor) -> torch.Tensor:
        kinds = [(not x.dtype.is_complex and x.dtype != torch.bool, x.dtype) for x in states]
        require_states(self._batched, quantity, [tuple(x.shape) for x in states], kinds)
        dtype = torch.float64 if any(x.dtype == torch.float64 for x in states) else torch.float32
        batch = torch.broadcast_shapes(*(x.shape[:-1] for x in states))
        return _Function.apply(self._batched, quantity, *(x.to(dtype).expand(*batch, x.shape[-1]) for x in states))


def _arrays(states: tuple[torch.Tensor, ...]) -> list[Any]:
    return [x.detach().cpu().numpy() for x in states]


class _Function(torch.autograd.Function):
    @staticmethod
    def forward(batched: Batched, quantity: str, *states: torch.Tensor) -> torch.Tensor:
        return torch.from_numpy(batched.value(quantity, *_arrays(states))).to(states[0].device)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
        ctx.batched, ctx.quantity = inputs[:2]
        ctx.save_for_backward(*inputs[2:])
        ctx.save_for_forward(*inputs[2:])

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[Any, ...]:
        states = ctx.saved_tensors
        rows = gradient.reshape(*gradient.shape[: gradient.dim() - len(ctx.batched.tail(ctx.quantity))], -1)
        blocks = _Jacobians.apply(ctx.batched, ctx.quantity, *states)
        back = [torch.einsum("...j,...ji->...i", rows, block) for block in blocks]
        back[0] = _moves_back(ctx.batched, states[0], back[0])
        return (None, None, *back)

    @staticmethod
    def jvp(ctx: Any, _batched: None, _quantity: None, *rates: torch.Tensor | None) -> torch.Tensor:
        states = ctx.saved_tensors
        tail = ctx.batched.tail(ctx.quantity)
        total = torch.zeros((*states[0].shape[:-1], *tail), dtype=states[0].dtype, device=states[0].device)
        for k, (block, rate) in enumerate(zip(_Jacobians.apply(ctx.batched, ctx.quantity, *states), rates)):
            if rate is None:
                continue
            along = _moves(ctx.batched, states[0], rate) if k == 0 else rate
            total = total + torch.einsum("...ji,...i->...j", block, along).reshape(total.shape)
        return total

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], batched: Batched, quantity: str, *states: torch.Tensor) -> tuple[torch.Tensor, int]:
        return _Function.apply(batched, quantity, *_lifted(info, in_dims[2:], states)), 0


class _Jacobians(torch.autograd.Function):
    """By each input: (..., numbers of the quantity, nv)."""

    @staticmethod
    def forward(batched: Batched, quantity: str, *states: torch.Tensor) -> tuple[torch.Tensor, ...]:
        shape = (*states[0].shape[:-1], -1, batched.robot.nv)
        return tuple(torch.from_numpy(block).to(states[0].device).reshape(shape) for block in batched.jacobians(quantity, *_arrays(states)))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[torch.Tensor, ...]) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[Any, ...]:
        raise NotImplementedError("ulna.torch has no derivatives of second order")

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], batched: Batched, quantity: str, *states: torch.Tensor) -> tuple[tuple[torch.Tensor, ...], tuple[int, ...]]:
        lifted = _lifted(info, in_dims[2:], states)
        return _Jacobians.apply(batched, quantity, *lifted), (0,) * len(lifted)


def _lifted(info: Any, dims: tuple[Any, ...], states: tuple[torch.Tensor, ...]) -> list[torch.Tensor]:
    """With the axis of a vmap first, in all of them."""
    return [x.expand(info.batch_size, *x.shape) if dim is None else x.movedim(dim, 0) for x, dim in zip(states, dims)]


def _turned(q: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Two linear maps of a free base's rates: (..., 3, 4) from the quaternion's to the turn, and (..., 3, 3) from the position's to the move, in its own axes."""
    x, y, z, w = q[..., 3:7].unbind(-1)
    squared = x * x + y * y + z * z + w * w
    turn = torch.stack([torch.stack(row, -1) for row in ([w, z, -y, -x], [-z, w, x, -y], [y, -x, w, -z])], -2)
    rotation = [
        [w * w + x * x - y * y - z * z, 2 * (x * y + z * w), 2 * (x * z - y * w)],
        [2 * (x * y - z * w), w * w - x * x + y * y - z * z, 2 * (y * z + x * w)],
        [2 * (x * z + y * w), 2 * (y * z - x * w), w * w - x * x - y * y + z * z],
    ]
    move = torch.stack([torch.stack(row, -1) for row in rotation], -2)
    return 2 * turn / squared[..., None, None], move / squared[..., None, None]


def _moves(batched: Batched, q: torch.Tensor, rate: torch.Tensor) -> torch.Tensor:
    """From a rate of q to that of the coordinates: of a free base the turn and the move in its own axes. What changes a quaternion's length is left out, and so are
    the dependent positions of loops, which are guesses."""
    if q.shape[-1] != len(batched.picked):
        q, rate = q[..., batched.picked], rate[..., batched.picked]
    if q.shape[-1] == batched.robot.nv:
        return rate
    turn, move = _turned(q)
    return torch.cat([(turn @ rate[..., 3:7, None])[..., 0], (move @ rate[..., :3, None])[..., 0], rate[..., 7:]], -1)


def _moves_back(batched: Batched, q: torch.Tensor, gradient: torch.Tensor) -> torch.Tensor:
    """The transpose of that."""
    if q.shape[-1] != len(batched.picked):
        few = _moves_back(batched, q[..., batched.picked], gradient)
        return few @ torch.eye(q.shape[-1], dtype=few.dtype, device=few.device)[batched.picked]
    if q.shape[-1] == gradient.shape[-1]:
        return gradient
    turn, move = _turned(q)
    return torch.cat([(gradient[..., None, 3:6] @ move)[..., 0, :], (gradient[..., None, :3] @ turn)[..., 0, :], gradient[..., 6:]], -1)
