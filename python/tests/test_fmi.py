"""Generated units of FMI: checked and run by FMPy, against simulations of the same motion. Where fmpy is installed; it is not a dependency."""

from __future__ import annotations

import pathlib
import shutil
from typing import Any

import numpy as np
import pytest

import ulna

fmpy = pytest.importorskip("fmpy")
if shutil.which("cc") is None:
    pytest.skip("no C compiler", allow_module_level=True)


def unit(folder: pathlib.Path, robot: Any, target: Any = "fmi", **options: Any) -> str:
    (file,) = ulna.generate(robot, folder, target=target, name="robot", **options)
    path = str(folder / file)
    from fmpy.validation import validate_fmu

    assert validate_fmu(path) == []
    return path


def numbers(kind: str, names: list[str], values: Any) -> dict[str, float]:
    return {f"{kind}.{name}": float(x) for name, x in zip(names, values)}


def last(result: Any, kind: str, names: list[str]) -> np.ndarray:
    return np.array([result[f"{kind}.{name}"][-1] for name in names])


@pytest.mark.parametrize("target", ["fmi", "fmi3"])
def test_panda_under_load_friction_and_wrench(tmp_path: pathlib.Path, target: str) -> None:
    robot = ulna.load("panda")
    path = unit(tmp_path, robot, target, friction=True, wrench_at="hand", parameters="payload", parameters_link="hand")
    names = robot.velocity_names
    q, tau = [0.1, -0.4, 0.2, -2.0, 0.3, 1.6, 0.8], [1.0, -20.0, 2.0, 15.0, 0.5, 1.0, 0.1]
    smooth = 0.05
    start: dict[str, Any] = {
        **numbers("q", names, q),
        **numbers("tau", names, tau),
        **{"payload.mass": 1.5, "payload.com.z": 0.1, "payload.inertia.xx": 0.01, "payload.inertia.yy": 0.01, "payload.inertia.zz": 0.01},
        **{"wrench.fx": 3.0, "wrench.nz": 0.2, "friction.smooth": smooth},
    }
    outputs = [f"{kind}.{name}" for kind in "qva" for name in names]
    result = fmpy.simulate_fmu(path, stop_time=0.3, output_interval=0.01, start_values=start, output=outputs)
    scenario = f"""
model: panda
duration: 0.3
initial: {{q: {q}}}
law: {{type: constant, tau: {tau}}}
friction: {{smooth: {smooth}}}
payloads: [{{link: hand, mass: 1.5, com: [0, 0, 0.1], inertia: [0.01, 0.01, 0.01]}}]
disturbances: [{{link: hand, force: [3, 0, 0], moment: [0, 0, 0.2]}}]
limits: ignore
integrator: {{type: dormand-prince-5, tolerance: 1e-11}}
"""
    run = ulna.simulate(scenario)
    assert np.abs(run.v[-1]).max() > 0.5  # it does move
    np.testing.assert_allclose(last(result, "q", names), run.q[-1], rtol=0, atol=1e-7)
    np.testing.assert_allclose(last(result, "v", names), run.v[-1], rtol=0, atol=1e-6)
    np.testing.assert_allclose(last(result, "a", names), run.a[-1], rtol=0, atol=1e-4)


def test_free_base_keeps_to_the_simulation(tmp_path: pathlib.Path) -> None:
    robot = ulna.load("servicer", base="free")
    path = unit(tmp_path, robot)
    random = np.random.default_rng(4)
    v = random.uniform(-0.3, 0.3, robot.nv)
    tau = np.concatenate([[1.0, -2.0, 0.5, 20.0, 10.0, -5.0], random.uniform(-1, 1, robot.nv - 6)])
    start = {**numbers("v", robot.velocity_names, v), **numbers("tau", robot.effort_names, tau)}
    result = fmpy.simulate_fmu(path, stop_time=1.0, output_interval=0.05, start_values=start)
    overrides = {f"v.{name}": float(x) for name, x in zip(robot.velocity_names, v)}
    given = ", ".join(f"{name}: {x}" for name, x in zip(robot.effort_names, tau))
    run = ulna.simulate(f"model: servicer\nbase: free\nduration: 1\nlaw: {{type: constant, tau: {{{given}}}}}\nlimits: ignore\nintegrator: {{tolerance: 1e-11}}\n", overrides)
    np.testing.assert_allclose(last(result, "q", robot.position_names), run.q[-1], rtol=0, atol=1e-7)
    np.testing.assert_allclose(last(result, "v", robot.velocity_names), run.v[-1], rtol=0, atol=1e-7)


def test_states_are_kept_and_restored_and_parameters_change_on_the_way(tmp_path: pathlib.Path) -> None:
    robot = ulna.load("planar-2r")
    path = unit(tmp_path, robot, parameters=["masses"])
    folder = fmpy.extract(path, str(tmp_path / "unit"))
    description = fmpy.read_model_description(folder)
    reference = {x.name: x.valueReference for x in description.modelVariables}
    slave = fmpy.fmi2.FMU2Slave(guid=description.guid, unzipDirectory=folder, modelIdentifier="robot", instanceName="one")
    slave.instantiate()
    slave.setupExperiment(startTime=0.0)
    slave.enterInitializationMode()
    q = [reference[f"q.{name}"] for name in robot.position_names]
    slave.setReal(q, [0.3, -0.5])
    slave.exitInitializationMode()
    slave.doStep(0.0, 0.1)
    kept = slave.getFMUstate()
    bytes_of_it = slave.serializeFMUstate(kept)
    slave.doStep(0.1, 0.1)
    first = slave.getReal(q)
    slave.setFMUstate(slave.deSerializeFMUstate(bytes_of_it))
    slave.doStep(0.1, 0.1)
    assert slave.getReal(q) == first
    # Another mass from here on: accelerations are those of the other robot.
    slave.setFMUstate(kept)
    mass = next(name for name in reference if name.endswith(".mass"))
    before = slave.getReal([reference[mass]])[0]
    slave.setReal([reference[mass]], [2 * before])
    v, a = ([reference[f"{kind}.{name}"] for name in robot.velocity_names] for kind in "va")
    link = robot.links[[f"link.{x.name}.mass" for x in robot.links].index(mass)]
    heavier = ulna.Dynamics(robot).with_payload(link.name, before, link.com)
    np.testing.assert_allclose(slave.getReal(a), heavier.forward(np.array(slave.getReal(q)), np.array(slave.getReal(v)), np.zeros(2)), rtol=1e-12)
    with pytest.raises(Exception, match="fmi2SetReal"):
        slave.setReal(q, [0.0, 0.0])  # not any more
    slave.freeFMUstate(kept)
    slave.terminate()
    slave.freeInstance()


@pytest.mark.parametrize("law", ["{type: computed-torque, kp: 100, kd: 20, coriolis: no}", "{type: pid, kp: [300, 300, 40], kd: [30, 30, 4], ki: 50, saturate: yes}", "{type: none}"])
@pytest.mark.parametrize("version", [2, 3])
def test_a_scenario_is_where_simulate_is(tmp_path: pathlib.Path, law: str, version: Any) -> None:
    scenario = f"""
model: planar-3r
duration: 0.5
initial: {{q: [0.1, 0.2, -0.3]}}
law: {law}
reference: {{type: quintic, to: [0.6, -0.2, 0.4], start: 0.05, duration: 0.4}}
payloads: [{{link: {ulna.load("planar-3r").links[-1].name}, mass: 0.5, com: [0.05, 0, 0]}}]
friction: {{smooth: 0.05}}
limits: ignore
integrator: {{type: rk4, step: 0.001}}
"""
    (file,) = ulna.generate_unit(scenario, tmp_path, name="robot", version=version)
    from fmpy.validation import validate_fmu

    assert validate_fmu(str(tmp_path / file)) == []
    result = fmpy.simulate_fmu(str(tmp_path / file), output_interval=0.01)  # to the end of the scenario
    run = ulna.simulate(scenario)
    names = run["v_names"]
    assert np.abs(run.v).max() > 0.5
    np.testing.assert_allclose(result["time"], run.t, rtol=0, atol=1e-12)
    for kind, rows in ("q", run.q), ("v", run.v):
        np.testing.assert_allclose(np.array([result[f"{kind}.{name}"] for name in names]).T, rows, rtol=0, atol=1e-12)
    np.testing.assert_allclose(np.array([result[f"law.{name}"] for name in names]).T[:-1], run.tau[:-1], rtol=0, atol=1e-9)


def test_tracking_is_the_distance_from_the_reference() -> None:
    run = ulna.simulate("law-race", {"law.coriolis": 0})
    s = (run.t / 0.8)[:, None]
    start, end = run.q[0], np.array([0.8, 0.1, -0.6, 0.5, -0.3, 0.5])
    error = np.abs(start + (end - start) * s**3 * (10 - 15 * s + 6 * s**2) - run.q)
    np.testing.assert_allclose(run["tracking"]["peak"], error.max(axis=0), rtol=1e-9)
    np.testing.assert_allclose(run["tracking"]["rms"], np.sqrt((error**2).mean(axis=0)), rtol=1e-9)


def test_wrong_calls() -> None:
    with pytest.raises(ValueError, match="integrator: {type: rk4"):
        ulna.generate_unit("payload-drop")
    with pytest.raises(ValueError, match="what cannot be combined with target='fmi'"):
        ulna.generate("planar-2r", target="fmi", what=["mass"])
    with pytest.raises(ValueError, match="double precision"):
        ulna.generate("planar-2r", target="fmi", real="float")
