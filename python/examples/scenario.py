"""A built-in scenario: the run, its audit, and the same with other numbers."""

from __future__ import annotations

import numpy as np

import ulna

run = ulna.simulate("double-pendulum", {"duration": 5.0})
print(f"{run['scenario']}: {run['ending']} at {run['end']:g} s, {len(run.t)} rows")
print(f"energy: largest error {run.audit['energy_drift']:.1e} J of {run.audit['energy_scale']:.3g} J")
for step in (4e-3, 2e-3, 1e-3):
    other = ulna.simulate("double-pendulum", {"duration": 5.0, "step": step})
    print(f"step {step:g} s: {other.audit['evaluations']} evaluations, energy error {np.ptp(other['kinetic'] + other['potential']):.1e} J")
