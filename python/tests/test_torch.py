"""ulna.torch, where torch is installed: values and derivatives against ulna.Dynamics and differences, by backward, forward mode and torch.func."""

from __future__ import annotations

import numpy as np
import pytest

import ulna

torch = pytest.importorskip("torch")
from autodiff import CASES, along, dynamics, states  # noqa: E402

import ulna.torch  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning", "ignore::UserWarning")  # of torch itself


@pytest.mark.parametrize(("robot", "quantity"), CASES)
def test_values_and_both_directions(robot: str, quantity: str) -> None:
    dyn = dynamics(robot)
    own, numpy = getattr(ulna.torch.Dynamics(dyn), quantity), getattr(dyn, quantity)
    at = states(dyn, quantity, 3)
    tensors = [torch.tensor(x, requires_grad=True) for x in at]
    value = own(*tensors)
    np.testing.assert_allclose(value.detach(), numpy(*at), rtol=1e-12, atol=1e-12)
    random = np.random.default_rng(6)
    rates = [random.uniform(-1, 1, x.shape) for x in at]
    wanted = along(numpy, at, rates)
    scale = np.abs(wanted).max()
    weights = torch.tensor(random.uniform(-1, 1, value.shape))
    value.backward(weights)
    back = sum(float((x.grad * torch.tensor(r)).sum()) for x, r in zip(tensors, rates))
    assert back == pytest.approx(float((weights * torch.tensor(wanted)).sum()), rel=1e-7, abs=1e-7 * scale)
    plain = tuple(torch.tensor(x) for x in at)
    _, got = torch.func.jvp(own, plain, tuple(torch.tensor(r) for r in rates))
    np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-7 * scale)
    np.testing.assert_array_equal(torch.func.vmap(own)(*plain), value.detach())
    every = torch.func.vmap(torch.func.jacrev(own, argnums=tuple(range(len(at)))))(*plain)
    turned = sum(torch.einsum("k...i,ki->k...", j, torch.tensor(r)) for j, r in zip(every, rates))
    np.testing.assert_allclose(turned, got, rtol=0, atol=1e-9 * scale)


def test_axes_are_broadcast_and_floats_stay_floats() -> None:
    arm = ulna.torch.Dynamics("ur5")
    q, v, a = (torch.tensor(x, dtype=torch.float32) for x in arm.robot.sample(6, seed=1))
    tau = arm.inverse(q.reshape(2, 3, 6), v[0], a[1])
    assert tau.shape == (2, 3, 6) and tau.dtype == torch.float32
    np.testing.assert_allclose(tau[1, 2], arm.inverse(q[5], v[0], a[1]), rtol=1e-4, atol=1e-4)


def test_wrong_calls() -> None:
    arm = ulna.torch.Dynamics("ur5")
    with pytest.raises(ValueError, match="its last axis must have 6 numbers"):
        arm.gravity(torch.zeros(7))
    for wrong in (torch.bool, torch.complex128):
        with pytest.raises(TypeError, match="q has dtype torch.(bool|complex128), but must hold real numbers"):
            arm.gravity(torch.zeros(6, dtype=wrong))
    q = torch.zeros(6, dtype=torch.float64, requires_grad=True)
    (gradient,) = torch.autograd.grad(arm.gravity(q).sum(), q, create_graph=True)
    with pytest.raises(RuntimeError):
        gradient.sum().backward()  # none of second order
