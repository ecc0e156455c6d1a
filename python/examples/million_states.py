"""Torques of a million states of an arm in one call, and how long it took."""

from __future__ import annotations

import time

import numpy as np

import ulna

robot = ulna.load("panda")
dyn = ulna.Dynamics(robot)
q, v, a = robot.sample(1_000_000)  # each (1000000, 7), C-contiguous: read where they lie
a *= 20  # in a hurry
tau = np.empty_like(q)

start = time.perf_counter()
dyn.inverse(q, v, a, out=tau)
seconds = time.perf_counter() - start
print(f"{robot.name}: {len(q)} states in {seconds * 1e3:.1f} ms on {dyn.threads} threads, by {dyn.instruction_set}")

limits = np.array([joint.effort for joint in robot.joints])
for joint, share in zip(robot.joints, (np.abs(tau) > limits).mean(axis=0)):
    print(f"{joint.name}: {100 * share:.1f} % of these states ask for more than {joint.effort:g} N m")
