"""What a load in the hand does: holding torques, and the inertia that the joints feel. Shares the machine code of the robot without it."""

from __future__ import annotations

import numpy as np

import ulna

dyn = ulna.Dynamics("panda", links=["hand"])
q = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8])
where = dyn.pose(q, "hand")[:3, 3]
print("hand at", where.round(3), "m")
for mass in (0.0, 1.0, 3.0):
    loaded = dyn.with_payload("hand", mass, com=(0, 0, 0.1))
    print(f"{mass:3g} kg: holding torques {loaded.gravity(q).round(2)} N m, inertia felt {np.diag(loaded.mass(q)).round(3)} kg m²")
    assert loaded.shares_code(dyn)
