"""What bench.py measures against: a Python loop over Pinocchio's wheel. Runs in the environment that has it.

    bench_pinocchio.py ROBOT.urdf GRAVITY STATES COUNT ALL TURNS

STATES holds q, v, a, each ALL rows of doubles; the first COUNT are used. Prints Pinocchio's version and the least time per state [ns] of inverse and of forward dynamics,
and keeps the torques in STATES.pin.
"""

import sys
import time

import numpy as np
import pinocchio

urdf, gravity, states, count, everything, turns = sys.argv[1:]
model = pinocchio.buildModelFromUrdf(urdf)
model.gravity.linear = np.array([float(x) for x in gravity.split(",")])
data = model.createData()
q, v, a = np.fromfile(states).reshape(3, int(everything), model.nv)[:, : int(count)]
assert model.nq == model.nv, "a continuous joint"
tau, acc = np.empty_like(q), np.empty_like(q)
inverse = forward = float("inf")
rnea, aba, clock = pinocchio.rnea, pinocchio.aba, time.perf_counter
for _ in range(int(turns)):
    t0 = clock()
    for k in range(len(q)):
        tau[k] = rnea(model, data, q[k], v[k], a[k])
    t1 = clock()
    for k in range(len(q)):
        acc[k] = aba(model, data, q[k], v[k], tau[k])
    t2 = clock()
    inverse, forward = min(inverse, t1 - t0), min(forward, t2 - t1)
np.savez(states + ".pin.npz", tau=tau, acc=acc)
print(pinocchio.__version__, 1e9 * inverse / len(q), 1e9 * forward / len(q))
