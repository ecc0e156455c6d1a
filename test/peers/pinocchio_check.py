#!/usr/bin/env python3
"""Compares the ulna program with Pinocchio on the URDF robots that come with it.

    pinocchio_check.py ULNA MODELS_DIR

Torques, gravity, inertia matrices, accelerations, their derivatives and the regressor at seeded states. Exit status 0: they agree; 1: they do not; 2: a call failed.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
import pinocchio

ROBOTS = ["ur5", "panda", "iiwa14", "torso", "humanoid-38"]
STATES = 10
EPS = np.finfo(float).eps


def ulna(program, command, urdf, header=(), rows=(), more=()):
    """Runs one command, over a table of states where one is given, and returns its JSON."""
    if not header:
        return run([program, command, urdf, "--json"])
    with tempfile.NamedTemporaryFile("w", suffix=".csv", delete=False, newline="") as table:
        writer = csv.writer(table)
        writer.writerow(header)
        writer.writerows([[repr(float(x)) for x in row] for row in rows])
    try:
        return run([program, command, urdf, "--states", table.name, "--json", *more])
    finally:
        os.unlink(table.name)


def run(call):
    done = subprocess.run(call, capture_output=True, text=True)
    if done.returncode != 0:
        print(f"{' '.join(call)} ended with {done.returncode}:\n{done.stderr}", file=sys.stderr)
        sys.exit(2)
    return json.loads(done.stdout)


class Peer:
    """Pinocchio's model, addressed in Ulna's joint order. Its continuous joints are (cos, sin)."""

    def __init__(self, urdf, names):
        self.model = pinocchio.buildModelFromUrdf(urdf)
        self.data = self.model.createData()
        self.joints = [self.model.joints[self.model.getJointId(name)] for name in names]
        self.order = [joint.idx_v for joint in self.joints]

    def q(self, q):
        out = np.zeros(self.model.nq)
        for joint, x in zip(self.joints, q):
            out[joint.idx_q : joint.idx_q + joint.nq] = [x] if joint.nq == 1 else [np.cos(x), np.sin(x)]
        return out

    def v(self, v):
        out = np.zeros(self.model.nv)
        out[self.order] = v
        return out

    def torques(self, q, v, a):
        return pinocchio.rnea(self.model, self.data, self.q(q), self.v(v), self.v(a))[self.order]

    def mass(self, q):
        upper = np.triu(pinocchio.crba(self.model, self.data, self.q(q)))
        full = upper + np.triu(upper, 1).T
        return full[np.ix_(self.order, self.order)]

    def accelerations(self, q, v, tau):
        return pinocchio.aba(self.model, self.data, self.q(q), self.v(v), self.v(tau))[self.order]


    def inverse_derivatives(self, q, v, a):
        d_q, d_v, M = pinocchio.computeRNEADerivatives(self.model, self.data, self.q(q), self.v(v), self.v(a))
        return [part[np.ix_(self.order, self.order)] for part in (d_q, d_v)]

    def forward_derivatives(self, q, v, tau):
        d_q, d_v, inverse = pinocchio.computeABADerivatives(self.model, self.data, self.q(q), self.v(v), self.v(tau))
        return [part[np.ix_(self.order, self.order)] for part in (d_q, d_v)]

    def regressor(self, q, v, a, columns):
        """Columns of the names that Ulna has, and the largest entry of those that it leaves out. Both take a body about the origin of the link behind its joint."""
        Y = pinocchio.computeJointTorqueRegressor(self.model, self.data, self.q(q), self.v(v), self.v(a))[self.order]
        place = {"m": 0, "h_x": 1, "h_y": 2, "h_z": 3, "J_xx": 4, "J_xy": 5, "J_yy": 6, "J_xz": 7, "J_yz": 8, "J_zz": 9}
        joint = {frame.name: frame.parentJoint for frame in self.model.frames if frame.type == pinocchio.FrameType.BODY}
        split = [name.split(".", 1) for name in columns]
        taken = [10 * (joint[link] - 1) + place[parameter] for parameter, link in split]
        left = np.delete(Y, taken, axis=1)
        return Y[:, taken], np.abs(left).max() if left.size else 0.0


def relative_error(a, b):
    a, b = np.asarray(a, float), np.asarray(b, float)
    if a.shape != b.shape:
        return np.inf
    scale = max(np.abs(a).max(), np.abs(b).max())
    return np.abs(a - b).max() / scale if scale > 0 else 0.0


def check(program, models, robot):
    urdf = os.path.join(models, robot, robot + ".urdf")
    names = ulna(program, "gravity", urdf)["joints"]
    peer = Peer(urdf, names)
    n = len(names)
    random = np.random.default_rng(2024)
    q, v, a = (random.uniform(-1, 1, (STATES, n)) for _ in range(3))
    head = lambda part: [f"{part}.{name}" for name in names]
    tau = ulna(program, "inverse", urdf, head("q") + head("v") + head("a"), np.hstack([q, v, a]))["tau"]
    gravity = ulna(program, "gravity", urdf, head("q"), q)["gravity"]
    mass = ulna(program, "mass", urdf, head("q"), q)["M"]
    back = ulna(program, "forward", urdf, head("q") + head("v") + head("tau"), np.hstack([q, v, tau]))["a"]
    by_acceleration = ulna(program, "derivatives", urdf, head("q") + head("v") + head("a"), np.hstack([q, v, a]))
    by_torque = ulna(program, "derivatives", urdf, head("q") + head("v") + head("tau"), np.hstack([q, v, tau]), ["--of", "forward"])
    regressor = ulna(program, "regressor", urdf, head("q") + head("v") + head("a"), np.hstack([q, v, a]))
    bodies = [k for k, name in enumerate(regressor["columns"]) if name[:2] in ("m.", "h_", "J_")]  # behind them come those of the drives
    columns = [regressor["columns"][k] for k in bodies]
    # Right angles are written with 12 digits or more in the files; the plan takes them as exact, Pinocchio does not.
    angles = 1e-11
    good = True
    for k in range(STATES):
        M = peer.mass(q[k])
        cond = np.linalg.cond(M)
        d_q, d_v = peer.inverse_derivatives(q[k], v[k], a[k])
        a_q, a_v = peer.forward_derivatives(q[k], v[k], np.asarray(tau[k]))
        Y, left_out = peer.regressor(q[k], v[k], a[k], columns)
        bound = 64 * n * EPS + angles
        for what, error, bound in [
            ("d_q of tau", relative_error(by_acceleration["d_q"][k], d_q), bound),
            ("d_v of tau", relative_error(by_acceleration["d_v"][k], d_v), bound),
            ("d_q of a", relative_error(by_torque["d_q"][k], a_q), bound * cond),
            ("d_v of a", relative_error(by_torque["d_v"][k], a_v), bound * cond),
            ("Y", relative_error(np.asarray(regressor["Y"][k])[:, bodies], Y), bound),
            ("what Y leaves out", left_out / np.abs(Y).max(), bound),
            ("tau", relative_error(tau[k], peer.torques(q[k], v[k], a[k])), 64 * n * EPS + angles),
            ("gravity", relative_error(gravity[k], peer.torques(q[k], 0 * v[k], 0 * a[k])), 64 * n * EPS + angles),
            ("M", relative_error(np.reshape(mass[k], (n, n)), M), 64 * n * EPS + angles),
            ("a", relative_error(back[k], peer.accelerations(q[k], v[k], np.asarray(tau[k]))), (64 * n * EPS + angles) * cond),
        ]:
            if not error < bound:
                print(f"{robot}, state {k}: {what} differs by {error:.3g}, bound {bound:.3g}")
                good = False
    print(f"{robot}: {'agrees' if good else 'DIFFERS'} ({n} joints, {STATES} states)")
    return good


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    return 0 if all([check(sys.argv[1], sys.argv[2], robot) for robot in ROBOTS]) else 1


if __name__ == "__main__":
    sys.exit(main())
