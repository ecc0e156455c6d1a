"""Generated C for CasADi: its functions and derivatives, and an optimal control problem that is solved with them and with CasADi's own graph of the same
equations. Where casadi is installed; it is not a dependency.
"""

from __future__ import annotations

import pathlib
import shutil
import subprocess
from typing import Any

import numpy as np
import pytest

import ulna

casadi = pytest.importorskip("casadi")
if shutil.which("cc") is None:
    pytest.skip("no C compiler", allow_module_level=True)


def functions(folder: pathlib.Path, robot: Any, what: list[str], **options: Any) -> dict[str, Any]:
    ulna.generate(robot, folder, what=what, name="robot", target="casadi", single_file=True, **options)
    subprocess.run(["cc", "-std=c99", "-O1", "-shared", "-fPIC", "robot.c", "-lm", "-o", "robot.so"], cwd=folder, check=True)
    return {name: casadi.external(f"robot_{name}", str(folder / "robot.so")) for name in what}


def test_values_and_derivatives(tmp_path: pathlib.Path) -> None:
    dyn = ulna.Dynamics("scara", friction=True).with_payload(ulna.load("scara").links[-1].name, 1.2, com=(0.01, 0.02, 0.03))
    made = functions(tmp_path, dyn, ["inverse", "forward", "mass"])
    n = dyn.robot.nv
    random = np.random.default_rng(1)
    q, v, a = random.uniform(-1, 1, (3, n))
    tau = dyn.inverse(q, v, a)
    assert np.allclose(np.array(made["inverse"](q, v, a)).ravel(), tau, rtol=0, atol=1e-12 * np.abs(tau).max())
    assert np.allclose(np.array(made["forward"](q, v, tau)).ravel(), a, rtol=0, atol=1e-9)
    assert np.allclose(np.array(made["mass"](q)), dyn.mass(q), rtol=0, atol=1e-12)
    derivatives = dyn.inverse_derivatives(q, v, a)
    jacobian = [np.array(block) for block in made["inverse"].jacobian()(q, v, a, tau)]
    for got, wanted in zip(jacobian, derivatives):
        assert np.allclose(got, wanted, rtol=0, atol=1e-11 * np.abs(wanted).max())
    assert made["inverse"].forward(1).name() == "fwd1_robot_inverse" and made["inverse"].reverse(1).name() == "adj1_robot_inverse"
    seeds = random.uniform(-1, 1, (3, n))
    along = np.array(made["inverse"].forward(1)(q, v, a, tau, *seeds)).ravel()
    assert np.allclose(along, sum(j @ s for j, s in zip(jacobian, seeds)), rtol=0, atol=1e-10)
    back = made["inverse"].reverse(1)(q, v, a, tau, seeds[0])
    for got, j in zip(back, jacobian):
        assert np.allclose(np.array(got).ravel(), j.T @ seeds[0], rtol=0, atol=1e-10)


def test_friction_has_its_sign_in_every_derivative(tmp_path: pathlib.Path) -> None:
    from autodiff import RUBBING, along

    dyn = ulna.Dynamics(ulna.load(RUBBING), friction=True)
    forward = functions(tmp_path, dyn, ["forward"])["forward"]
    q, v, tau = np.array([[0.3, 0.2], [-1.1, 0.8], [2.0, -1.0]])
    rates = np.random.default_rng(5).uniform(-1, 1, (3, 2))
    wanted = along(dyn.forward, [q, v, tau], list(rates))
    a = dyn.forward(q, v, tau)
    np.testing.assert_allclose(np.array(forward(q, v, tau)).ravel(), a, rtol=1e-12)
    blocks = [np.array(block) for block in forward.jacobian()(q, v, tau, a)]
    np.testing.assert_allclose(sum(j @ r for j, r in zip(blocks, rates)), wanted, rtol=0, atol=1e-8 * np.abs(wanted).max())
    np.testing.assert_allclose(np.array(forward.forward(1)(q, v, tau, a, *rates)).ravel(), wanted, rtol=0, atol=1e-8 * np.abs(wanted).max())
    weights = np.array([0.4, -0.9])
    back = forward.reverse(1)(q, v, tau, a, weights)
    assert sum(float(np.array(b).ravel() @ r) for b, r in zip(back, rates)) == pytest.approx(float(weights @ wanted), rel=1e-8)
    qs, vs, ts = (casadi.MX.sym(name, 2) for name in "qvt")
    hessian = casadi.Function("h", [qs, vs, ts], [casadi.hessian(casadi.dot(weights, forward(qs, vs, ts)), qs)[0]])
    exact = ulna.Derivative(dyn.robot, "forward", "q", times=True, weights=True, friction=True)(q, v, tau, x=rates[0], y=weights)
    np.testing.assert_allclose(np.array(hessian(q, v, tau)) @ rates[0], exact, rtol=0, atol=1e-9 * np.abs(exact).max())


def test_run_time_parameters_are_arguments_too(tmp_path: pathlib.Path) -> None:
    robot = ulna.load("scara")
    dyn, link, n = ulna.Dynamics(robot), robot.links[-1].name, robot.nv
    inverse = functions(tmp_path, robot, ["inverse"], parameters="payload", wrench_at=link)["inverse"]
    fold = casadi.external("robot_fold", str(tmp_path / "robot.so"))
    random = np.random.default_rng(3)
    q, v, a = random.uniform(-1, 1, (3, n))
    load = np.array([1.2, 0.01, 0.02, 0.03, 0.011, 0.012, 0.013, 0.001, -0.002, 0.0005])

    def wanted(p: np.ndarray) -> np.ndarray:
        inertia = [[p[4], p[7], p[8]], [p[7], p[5], p[9]], [p[8], p[9], p[6]]]
        return dyn.with_payload(link, p[0], p[1:4], np.array(inertia)).inverse(q, v, a)

    payload = casadi.MX.sym("payload", 10)
    tau = inverse(q, v, a, np.zeros(6), fold(payload))
    both = casadi.Function("both", [payload], [tau, casadi.jacobian(tau, payload)])
    value, jacobian = (np.array(x) for x in both(load))
    np.testing.assert_allclose(value.ravel(), wanted(load), rtol=0, atol=1e-12 * np.abs(value).max())
    h = 1e-4
    differences = np.stack([(wanted(load + h * e) - wanted(load - h * e)) / (2 * h) for e in np.eye(10)], axis=-1)
    np.testing.assert_allclose(jacobian, differences, rtol=0, atol=1e-7 * np.abs(differences).max())


def test_hessians(tmp_path: pathlib.Path) -> None:
    robot = ulna.load("scara")
    n = robot.nv
    inverse = functions(tmp_path, robot, ["inverse"])["inverse"]
    random = np.random.default_rng(4)
    numbers = random.uniform(-1, 1, (3, n))
    weights, x = random.uniform(-1, 1, (2, n))
    q, v, a = (casadi.MX.sym(name, n) for name in "qva")
    hessian = casadi.hessian(casadi.dot(weights, inverse(q, v, a)), casadi.vertcat(q, v, a))[0]
    got = np.array(casadi.Function("hessian", [q, v, a], [hessian])(*numbers))
    assert got.shape == (3 * n, 3 * n)
    np.testing.assert_allclose(got, got.T, rtol=0, atol=1e-9)
    exact = ulna.Derivative(robot, "inverse", "q", times=True, weights=True)(*numbers, x=x, y=weights)
    np.testing.assert_allclose(got[:n, :n] @ x, exact, rtol=0, atol=1e-9 * np.abs(exact).max())


def graph_of(folder: pathlib.Path, robot: str) -> Any:
    """The same equations as CasADi's own graph: the generated Python module run on CasADi's symbols."""
    text = ulna.generate(robot, what="inverse", language="python", name="robot")["robot.py"]
    body = text[text.index("def inverse(") :].split("\n\n\n")[0]
    lines = [line[4:] for line in body.splitlines()[1:]]
    start = next(k for k, line in enumerate(lines) if "_arrays(" in line)
    code = "\n".join(line for line in lines[start + 1 :] if "result = np.empty" not in line and not line.startswith("return"))
    n = ulna.load(robot).nv
    q, v, a = (casadi.SX.sym(x, n) for x in "qva")
    scope: dict[str, Any] = {"np": casadi, "q": q, "v": v, "a": a, "result": [0] * n}
    exec(code, scope)  # noqa: S102
    return casadi.Function("inverse", [q, v, a], [casadi.vertcat(*scope["result"])])


def solve(inverse: Any, n: int, limit: np.ndarray, start: np.ndarray, end: np.ndarray, hessian: str = "limited-memory") -> float:
    """Rest to rest in a given time with the least squares of torques, which have limits, and of accelerations, which are constant within a step."""
    steps, h = 8, 1 / 8
    a = casadi.MX.sym("a", n, steps)
    q, v, cost, torques = casadi.MX(start), casadi.MX.zeros(n), 0, []
    for k in range(steps):
        tau = inverse(q + h / 2 * v + h * h / 8 * a[:, k], v + h / 2 * a[:, k], a[:, k])
        torques.append(tau)
        cost += h * (casadi.sumsqr(tau / limit) + 0.01 * casadi.sumsqr(a[:, k]))
        q, v = q + h * v + h * h / 2 * a[:, k], v + h * a[:, k]
    problem = {"x": casadi.vec(a), "f": cost, "g": casadi.vertcat(q - end, v, *torques)}
    options = {"ipopt.print_level": 0, "print_time": False, "ipopt.hessian_approximation": hessian, "ipopt.tol": 1e-6, "ipopt.max_iter": 1000}
    solver = casadi.nlpsol("s", "ipopt", problem, options)
    zero, many = np.zeros(2 * n), np.tile(limit, steps)
    found = solver(x0=np.zeros(n * steps), lbg=np.concatenate([zero, -many]), ubg=np.concatenate([zero, many]))
    assert solver.stats()["success"], solver.stats()["return_status"]
    return float(found["f"])


def test_optimal_control_of_a_panda(tmp_path: pathlib.Path) -> None:
    external = functions(tmp_path, "panda", ["inverse"])["inverse"]
    n = 7
    limit = np.array([87.0, 87, 87, 87, 12, 12, 12])
    start, end = np.array([0.0, -0.5, 0, -2.0, 0, 1.6, 0.8]), np.array([0.6, 0.1, -0.2, -1.5, 0.3, 1.8, 0.2])
    own = graph_of(tmp_path, "panda")
    random = np.random.default_rng(2)
    q, v, a = random.uniform(-1, 1, (3, n))
    assert np.allclose(np.array(own(q, v, a)), np.array(external(q, v, a)), rtol=0, atol=1e-11)
    by_external, by_graph = (solve(f, n, limit, start, end) for f in (external, own))
    assert by_external == pytest.approx(by_graph, rel=1e-6)
    assert solve(external, n, limit, start, end, "exact") == pytest.approx(by_graph, rel=1e-6)
    assert by_external > 0
