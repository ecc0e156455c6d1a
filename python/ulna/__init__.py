"""Manipulator dynamics: a robot description and NumPy arrays go in, NumPy arrays come out.

>>> import numpy as np, ulna
>>> robot = ulna.load("panda")
>>> robot
Robot('panda', 7 joints, 12 links, 17.4519 kg)
>>> dyn = ulna.Dynamics(robot)
>>> q, v, a = robot.sample(1000)          # each (1000, 7), within the joint limits
>>> tau = dyn.inverse(q, v, a)            # torques of 1000 states in one call
>>> tau.shape
(1000, 7)
>>> np.allclose(dyn.forward(q, v, tau), a)
True

Units are SI: m, kg, s, rad, N, N m. Vectors are in the order of ``robot.position_names`` and ``robot.velocity_names``. NumPy is the only dependency.
"""

from __future__ import annotations

from . import _core
from ._campaign import CampaignError, campaign, campaign_estimate, campaign_run, dataset, dataset_batches
from ._convert import from_mujoco, from_pinocchio, to_mujoco, to_pinocchio
from ._derivative import Derivative
from ._dynamics import Dynamics
from ._effects import Wrench
from ._errors import Problem, SourceError, SourceNotFound, SourceWarning
from ._explain import explain, explain_intermediates, intermediates
from ._identify import Diagnosed, Identified, check_motion, doctor, excite, identify
from ._results import Count, Explanation, ProofReport, Simulation, Study, Verification
from ._robot import Joint, Link, Loop, Parameter, Regressor, Robot, load, models
from ._studies import count, equations, formulations, generate, generate_unit, linearise, prove, scenarios, sensitivity, simulate, study, verify

__version__: str = _core.version

__all__ = [
    "CampaignError",
    "Count",
    "Derivative",
    "Diagnosed",
    "Dynamics",
    "Explanation",
    "Identified",
    "Joint",
    "Link",
    "Loop",
    "Parameter",
    "Problem",
    "ProofReport",
    "Regressor",
    "Robot",
    "Simulation",
    "SourceError",
    "SourceNotFound",
    "SourceWarning",
    "Study",
    "Verification",
    "Wrench",
    "campaign",
    "campaign_estimate",
    "campaign_run",
    "check_motion",
    "count",
    "dataset",
    "dataset_batches",
    "doctor",
    "equations",
    "excite",
    "explain",
    "explain_intermediates",
    "formulations",
    "from_mujoco",
    "from_pinocchio",
    "generate",
    "generate_unit",
    "identify",
    "intermediates",
    "linearise",
    "load",
    "models",
    "prove",
    "scenarios",
    "sensitivity",
    "simulate",
    "study",
    "to_mujoco",
    "to_pinocchio",
    "verify",
]
