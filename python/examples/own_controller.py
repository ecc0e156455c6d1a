"""A controller of one's own in a loop of one's own: computed torque along a motion, integrated by the classical Runge-Kutta rule."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

import ulna

Array = npt.NDArray[np.float64]

robot = ulna.load("ur5")
plant = ulna.Dynamics(robot, threads=1)
model = plant.with_payload(robot.links[-1].name, 0.5)  # the controller believes that the hand holds half a kilogram
n, kp, kd, h = robot.nv, 100.0, 20.0, 1e-3


def wanted(t: float) -> tuple[Array, Array, Array]:
    phase = 2 * t + np.arange(n)
    return 0.5 * np.sin(phase), np.cos(phase), -2 * np.sin(phase)


def rates(t: float, q: Array, v: Array) -> tuple[Array, Array]:
    q_w, v_w, a_w = wanted(t)
    tau = model.inverse(q, v, a_w + kd * (v_w - v) + kp * (q_w - q))
    return v, plant.forward(q, v, tau)


q, v, _ = wanted(0.0)
worst = 0.0
for k in range(2000):
    t = k * h
    v1, a1 = rates(t, q, v)
    v2, a2 = rates(t + h / 2, q + h / 2 * v1, v + h / 2 * a1)
    v3, a3 = rates(t + h / 2, q + h / 2 * v2, v + h / 2 * a2)
    v4, a4 = rates(t + h, q + h * v3, v + h * a3)
    q, v = q + h / 6 * (v1 + 2 * v2 + 2 * v3 + v4), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
    worst = max(worst, float(np.abs(q - wanted(t + h)[0]).max()))
print(f"{robot.name}: the load that is not there leaves an error of up to {worst:.4f} rad")
