"""Derivatives by the pass on expressions, linearised motions and sensitivities: against kernels, differences and closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import ulna
from autodiff import RUBBING


def differences(f, x: np.ndarray, step: float = 4e-3) -> np.ndarray:
    """Columns by differences of order six."""
    columns = []
    for k in range(len(x)):
        e = np.zeros(len(x))
        e[k] = step
        columns.append(sum(w * (f(x + i * e) - f(x - i * e)) for i, w in ((1, 45), (2, -9), (3, 1))) / (60 * step))
    return np.stack(columns, axis=-1)


def test_of_gravity_energy_and_jacobian() -> None:
    robot = ulna.load("stanford")
    dyn = ulna.Dynamics(robot)
    q, v, _ = robot.sample(4, seed=3)
    np.testing.assert_allclose(ulna.Derivative(robot, "gravity", "q")(q[0]), differences(dyn.gravity, q[0]), atol=1e-8)
    np.testing.assert_allclose(ulna.Derivative(robot, "energy", "q")(q[0], v[0]), differences(lambda x: dyn.energy(x, v[0]), q[0]), atol=1e-7)
    link = robot.links[-1].name
    rate = ulna.Derivative(robot, "jacobian", "q", times=True, link=link)(q[0], x=v[0])
    h = 1e-6
    moved = (dyn.jacobian(q[0] + h * v[0], link) - dyn.jacobian(q[0] - h * v[0], link)) / (2 * h)
    np.testing.assert_allclose(rate.reshape(6, 6).T, moved, atol=1e-7)  # numbers lie column by column


def test_many_states_and_products() -> None:
    robot = ulna.load("panda")
    q, v, a = robot.sample(5, seed=1)
    d = ulna.Derivative(robot, "inverse", "q")
    J = d(q, v, a)
    assert J.shape == (5, 7, 7) and d.columns == [joint.name for joint in robot.joints]
    np.testing.assert_allclose(J, ulna.Dynamics(robot).inverse_derivatives(q, v, a)[0], atol=1e-10)
    x, y = np.linspace(-1, 1, 7), np.linspace(2, 1, 7)
    np.testing.assert_allclose(ulna.Derivative(robot, "inverse", "q", times=True)(q, v, a, x=x), J @ x, atol=1e-10)
    np.testing.assert_allclose(ulna.Derivative(robot, "inverse", "q", weights=True)(q, v, a, y=y), y @ J, atol=1e-10)


def test_by_payload() -> None:
    dyn = ulna.Dynamics("ur5")
    q, v, a = dyn.robot.sample(1, seed=2)
    link = dyn.robot.links[-1].name
    load = np.array([1.5, 0.02, -0.03, 0.1])
    found = ulna.Derivative("ur5", "inverse", "payload", link=link)(q[0], v[0], a[0], payload=load)
    wanted = differences(lambda p: dyn.with_payload(link, p[0], p[1:]).inverse(q[0], v[0], a[0]), load)
    np.testing.assert_allclose(found, wanted, atol=1e-8)


@pytest.mark.parametrize("base", ["fixed", "planar"])
@pytest.mark.parametrize("of", ["forward", "inverse", "bias"])
def test_with_friction(of: str, base: str) -> None:
    robot = ulna.load(RUBBING, base=base)
    dyn = ulna.Dynamics(robot, friction=True)
    states = list(np.random.default_rng(7).uniform(0.3, 1.2, (3, robot.nv)) * np.array([[1], [-1], [1]]))[: 2 if of == "bias" else 3]
    for k, by in enumerate(["q", "v", "a" if of == "inverse" else "tau"][: len(states)]):
        d = ulna.Derivative(robot, of, by, friction=True)
        assert d.compiled or ulna.Dynamics(robot).instruction_set == "none", d.refused
        at = lambda x, k=k: getattr(dyn, of)(*states[:k], x, *states[k + 1 :])  # noqa: E731
        np.testing.assert_allclose(d(*states), differences(at, states[k], 1e-3), rtol=0, atol=1e-8)
    load = np.array([0.8, 0.1, -0.05, 0.2])
    found = ulna.Derivative(robot, of, "payload", link="hand", friction=True)(*states, payload=load)
    wanted = differences(lambda p: getattr(dyn.with_payload("hand", p[0], p[1:]), of)(*states), load, 1e-3)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-8)
    by_masses = ulna.Derivative(robot, of, "masses", friction=True)
    column = by_masses.columns.index("mass.two")
    h = 1e-4
    heavier = [getattr(dyn.with_payload("two", k * h, (0.1, 0, 0.2)), of)(*states) for k in range(5)]
    one_sided = sum(w * f for w, f in zip((-25, 48, -36, 16, -3), heavier)) / (12 * h)
    np.testing.assert_allclose(by_masses(*states)[:, column], one_sided, rtol=0, atol=1e-6)


def test_linearised_friction() -> None:
    dyn = ulna.Dynamics(ulna.load(RUBBING), friction=True)
    q, v, tau = np.array([[0.3, 0.2], [-1.1, 0.8], [2.0, -1.0]])
    A, B = dyn.linearise(q, v, tau)
    np.testing.assert_allclose(A[2:, :2], differences(lambda x: dyn.forward(x, v, tau), q, 1e-3), rtol=0, atol=1e-8)
    np.testing.assert_allclose(A[2:, 2:], differences(lambda x: dyn.forward(q, x, tau), v, 1e-3), rtol=0, atol=1e-8)
    np.testing.assert_allclose(B[2:], differences(lambda x: dyn.forward(q, v, x), tau, 1e-3), rtol=0, atol=1e-8)


def test_of_a_pose_is_row_by_row() -> None:
    robot = ulna.load("stanford")
    dyn, link = ulna.Dynamics(robot), robot.links[-1].name
    q = robot.sample(1, seed=3)[0][0]
    flat = lambda x: np.concatenate([dyn.pose(x, link)[:3, :3].ravel(), dyn.pose(x, link)[:3, 3]])  # noqa: E731
    np.testing.assert_allclose(ulna.Derivative(robot, "pose", "q", link=link)(q), differences(flat, q), atol=1e-9)


def test_wrong_calls() -> None:
    with pytest.raises(ValueError, match="by"):
        ulna.Derivative("panda", "gravity", "v")
    d = ulna.Derivative("panda", "gravity", "q")
    with pytest.raises(ValueError, match="shape"):
        d([0.0, 1.0])
    with pytest.raises(ValueError, match="1 arrays"):
        d([0.0] * 7, [0.0] * 7)
    with pytest.raises(ValueError, match="no sensitivity"):
        ulna.sensitivity("double-pendulum", "q.nothing")


def test_linearised_motion_of_a_free_base() -> None:
    robot = ulna.load("servicer", base="free")
    dyn = ulna.Dynamics(robot)
    q, v, _ = robot.sample(1, seed=1)
    A, B = dyn.linearise(q[0], v[0], np.zeros(robot.nv))
    n = robot.nv
    assert A.shape == (2 * n, 2 * n) and B.shape == (2 * n, n)
    np.testing.assert_allclose(B[n:] @ dyn.mass(q[0]), np.eye(n), atol=1e-10)
    w = v[0, :3]
    np.testing.assert_allclose(A[:3, :3], -np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]]))


def test_sensitivity_is_the_difference_of_runs() -> None:
    settings = {"duration": 0.4, "step": 1e-4}  # the scenario goes by the implicit midpoint rule, of order two
    found = ulna.sensitivity("double-pendulum", "q.elbow", settings)
    start = float(ulna.simulate("double-pendulum", settings).q[0, 1])
    h = 1e-4
    ends = [ulna.simulate("double-pendulum", {**settings, "q.elbow": start + side * h}) for side in (1, -1)]
    wanted = np.concatenate([(ends[0].q[-1] - ends[1].q[-1]), (ends[0].v[-1] - ends[1].v[-1])]) / (2 * h)
    np.testing.assert_allclose(found["sensitivity"][-1][:, 0], wanted, rtol=2e-6)
    along = ulna.linearise("double-pendulum", settings)
    np.testing.assert_allclose(along["A"], along["A_law"], atol=1e-9)  # no law: nothing answers
