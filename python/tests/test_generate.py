"""Generated code from Python: what a Dynamics carries is in it."""

from __future__ import annotations

import importlib.util
import pathlib
from typing import Any

import numpy as np
import pytest

import ulna


def module(folder: pathlib.Path, robot: Any, **options: Any) -> Any:
    ulna.generate(robot, folder, language="python", name="robot", **options)
    spec = importlib.util.spec_from_file_location("robot", folder / "robot.py")
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_a_payload_and_friction_are_in_it(tmp_path: pathlib.Path) -> None:
    scara = ulna.load("scara")
    dyn = ulna.Dynamics(scara, friction=True).with_payload(scara.links[-1].name, 1.5, com=(0.01, 0.02, 0.05))
    made = module(tmp_path, dyn)
    q, v, a = np.random.default_rng(1).uniform(-1, 1, (3, scara.nv))
    assert np.allclose(made.inverse(q, v, a), dyn.inverse(q, v, a), rtol=0, atol=1e-12)
    assert np.abs(made.inverse(q, v, a) - ulna.Dynamics(scara).inverse(q, v, a)).max() > 0.1
    assert made.selftest() == 0


def test_a_wrench_is_an_argument(tmp_path: pathlib.Path) -> None:
    made = module(tmp_path, "panda", wrench_at="hand", static_const=True)
    q, v, a = np.random.default_rng(2).uniform(-1, 1, (3, 7))
    wrench = ulna.Wrench("hand", force=(1, 2, 3), moment=(0.1, -0.2, 0.3))
    wanted = ulna.Dynamics("panda").inverse(q, v, a, wrenches=[wrench])
    assert np.allclose(made.inverse(q, v, a, [1, 2, 3, 0.1, -0.2, 0.3]), wanted, rtol=0, atol=1e-11)


def test_a_load_of_the_run_time(tmp_path: pathlib.Path) -> None:
    made = module(tmp_path, "panda", parameters="payload", parameters_link="hand")
    q, v, a = np.random.default_rng(3).uniform(-1, 1, (3, 7))
    for mass in (0.0, 2.0):
        table = made.fold([mass, 0.01, 0.02, 0.1, 0, 0, 0, 0, 0, 0])
        wanted = ulna.Dynamics("panda").with_payload("hand", mass, com=(0.01, 0.02, 0.1)).inverse(q, v, a)
        assert np.allclose(made.inverse(q, v, a, table), wanted, rtol=0, atol=1e-11)


def test_one_file_and_wrong_calls() -> None:
    assert list(ulna.generate("panda", single_file=True, prefix="acme_", batch=True)) == ["panda.c"]
    with pytest.raises(ValueError, match="did you mean 'hand'"):
        ulna.generate("panda", wrench_at="hnd")
