"""ulna.jax, where jax is installed: values and derivatives against ulna.Dynamics and differences, under jit, vmap, grad and both directions."""

from __future__ import annotations

import numpy as np
import pytest

import ulna

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402
from autodiff import CASES, along, dynamics, states  # noqa: E402

import ulna.jax  # noqa: E402


@pytest.fixture(autouse=True, scope="module")
def doubles():
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


@pytest.mark.parametrize(("robot", "quantity"), CASES)
def test_values_and_both_directions(robot: str, quantity: str) -> None:
    dyn = dynamics(robot)
    own, numpy = getattr(ulna.jax.Dynamics(dyn), quantity), getattr(dyn, quantity)
    at = states(dyn, quantity, 3)
    value = numpy(*at)
    np.testing.assert_allclose(own(*at), value, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(jax.jit(jax.vmap(own))(*at), own(*at))
    random = np.random.default_rng(6)
    rates = [random.uniform(-1, 1, x.shape) for x in at]
    wanted = along(numpy, at, rates)
    _, got = jax.jit(lambda x, r: jax.jvp(own, x, r))(tuple(at), tuple(rates))
    scale = np.abs(wanted).max()
    np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-7 * scale)
    weights = random.uniform(-1, 1, value.shape)
    back = jax.vjp(own, *at)[1](weights)
    assert sum(float(np.sum(b * r)) for b, r in zip(back, rates)) == pytest.approx(float(np.sum(weights * got)), rel=1e-9, abs=1e-9 * scale)
    one = [x[0] for x in at]
    jacobians = jax.jacrev(own, argnums=tuple(range(len(one))))(*one)
    turned = sum(np.tensordot(j, r[0], 1) for j, r in zip(jacobians, rates))
    np.testing.assert_allclose(turned, got[0], rtol=0, atol=1e-9 * scale)


def test_axes_are_broadcast_and_floats_stay_floats() -> None:
    arm = ulna.jax.Dynamics("ur5")
    q, v, a = (jnp.asarray(x, jnp.float32) for x in arm.robot.sample(6, seed=1))
    tau = arm.inverse(q.reshape(2, 3, 6), v[0], a[1])
    assert tau.shape == (2, 3, 6) and tau.dtype == jnp.float32
    np.testing.assert_allclose(tau[1, 2], arm.inverse(q[5], v[0], a[1]), rtol=1e-4, atol=1e-4)
    grid = jax.vmap(jax.vmap(arm.gravity))(q.reshape(2, 3, 6))
    np.testing.assert_allclose(grid.reshape(6, 6), arm.gravity(q), rtol=1e-4, atol=1e-4)


def test_many_states_under_jit() -> None:
    arm = ulna.jax.Dynamics("panda")
    q, v, a = arm.robot.sample(20_000, seed=1)
    loss = jax.jit(jax.value_and_grad(lambda q: jnp.mean(arm.inverse(q, v, a) ** 2)))
    value, gradient = loss(q)
    assert gradient.shape == q.shape and np.isfinite(gradient).all() and value > 0


def test_wrong_calls() -> None:
    arm = ulna.jax.Dynamics("ur5")
    with pytest.raises(ValueError, match="its last axis must have 6 numbers"):
        arm.gravity(jnp.zeros(7))
    for wrong in (jnp.zeros(6, bool), jnp.zeros(6, complex)):
        with pytest.raises(TypeError, match="q has dtype (bool|complex128), but must hold real numbers"):
            arm.gravity(wrong)
    with pytest.raises(ValueError, match="when it is made: friction"):
        ulna.jax.Dynamics(ulna.Dynamics("ur5"), friction=True)
