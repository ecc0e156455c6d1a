"""Features of robots in twos and threes: numbers of the package against a reference that shares no kernel with it, written by test_features --write."""

import collections
import json
import os
import pathlib
import subprocess

import numpy as np
import pytest

import ulna

WRITER = pathlib.Path(os.environ.get("ULNA_FEATURES_PROGRAM", pathlib.Path(__file__).resolve().parents[2] / "build" / "release" / "bin" / "test_features"))
INPUTS = {
    "inverse": "qva", "mass": "q", "bias": "qv", "gravity": "q", "coriolis": "qv", "forward": "qvt", "mass_inverse": "q", "energy": "qv", "momentum": "qv",
    "centroidal": "qv", "centroidal_matrix": "q", "pose": "q", "jacobian": "q", "inverse_derivatives": "qva", "forward_derivatives": "qvt", "regressor": "qva",
}  # fmt: skip
UNDER_WRENCHES = {"inverse", "forward", "bias", "inverse_derivatives", "forward_derivatives"}
OF_LINK = {"pose", "jacobian"}


@pytest.fixture(scope="module")
def robots(tmp_path_factory):
    file = os.environ.get("ULNA_FEATURES")
    if file is None:
        if not WRITER.exists():
            pytest.skip(f"there is no program at {WRITER} that writes robots")
        file = tmp_path_factory.mktemp("features") / "robots.json"
        subprocess.run([WRITER, "--write", file], check=True, stdout=subprocess.DEVNULL, timeout=600)
    return json.loads(pathlib.Path(file).read_text())


def numbers_of(quantity, result, one):
    """One state's result as the table of quantities lists its numbers: matrices column by column."""
    if quantity in ("inverse_derivatives", "forward_derivatives"):
        return np.concatenate([part.T.ravel() for part in result])
    if quantity == "pose":
        return np.concatenate([result[:3, :3].ravel(), result[:3, 3]])
    return result.T.ravel() if result.ndim == 2 else result


def acting(robot, quantity):
    given = {}
    if robot["wrenches"] and quantity in UNDER_WRENCHES:
        given["wrenches"] = [ulna.Wrench(w["link"], w["force"], w["moment"], w["axes"]) for w in robot["wrenches"]]
    if "base_velocity" in robot and quantity in UNDER_WRENCHES | {"energy", "momentum"}:
        given["base_velocity"] = robot["base_velocity"]
        if quantity in UNDER_WRENCHES:
            given["base_acceleration"] = robot["base_acceleration"]
    return given


def made(robot):
    independent = robot["independent"] if robot["loop"] else ()
    model = ulna.load(robot["urdf"], base=robot["base"], lock=robot["lock"] or None, rotor=robot["rotor"], independent=independent)
    everything = dict(mass_inverse=True, coriolis=True, regressor=True, inverse_derivatives=True, forward_derivatives=True)
    dynamics = ulna.Dynamics(model, rotor=robot["rotor"], friction=robot["friction"], links=[robot["link"]], threads=1, **everything)
    assert not dynamics.refused
    if "payload" in robot:
        load = robot["payload"]
        dynamics = dynamics.with_payload(load["link"], load["mass"], load["com"], load["inertia"])
    return dynamics


def compare(robot):
    """Quantities that agree, state by state and together."""
    dynamics = made(robot)
    states = robot["states"]
    for quantity in states[0]["results"]:
        function = getattr(dynamics, quantity)
        names = [{"q": "q", "v": "v", "a": "a", "t": "tau"}[letter] for letter in INPUTS[quantity]]
        more = [robot["link"]] if quantity in OF_LINK else []
        options = acting(robot, quantity)
        together = function(*[np.array([state[name] for state in states], dtype=float) for name in names], *more, **options)
        for k, state in enumerate(states):
            wanted, allowed = np.array(state["results"][quantity]["value"]), np.array(state["results"][quantity]["allowed"])
            alone = function(*[np.array(state[name], dtype=float) for name in names], *more, **options)
            row = tuple(part[k] for part in together) if isinstance(together, tuple) else together[k]
            for result in (alone, row):
                got = numbers_of(quantity, result, state)
                assert got.shape == wanted.shape, (quantity, robot["robot"])
                off = np.abs(got - wanted)
                worst = np.argmax(np.where(off <= allowed, 0, np.where(np.isnan(off), np.inf, off)))
                assert (off <= allowed).all(), (
                    f"{quantity}, number {worst} is {got[worst]} for {wanted[worst]}: off by {off[worst]}, allowed {allowed[worst]}\n{robot['robot']}"
                )
        # One input that is no number: every result of its state, and none of another.
        arrays = [np.array([state[name] for state in states], dtype=float) for name in names]
        arrays[len(arrays) - 1][0, -1] = np.nan
        spoilt = function(*arrays, *more, **options)
        for part, before in zip(spoilt if isinstance(spoilt, tuple) else [spoilt], together if isinstance(together, tuple) else [together]):
            first = np.isnan(part[0])
            if quantity == "pose":
                first = first[:3]
            assert first.all(), f"{quantity} with NaN in {names[-1]} is {part[0]}\n{robot['robot']}"
            assert np.array_equal(part[1:], before[1:]), f"{quantity}: NaN in one state changes another\n{robot['robot']}"
        yield quantity


def test_features_meet_in_python(robots):
    counts = collections.Counter()
    faults = []
    for robot in robots:
        try:
            for quantity in compare(robot):
                counts.update((int(feature), quantity) for feature in robot["features"])
        except (AssertionError, ValueError) as fault:
            faults.append(f"{str(fault)}\n{robot['robot']}")
    assert counts
    if "ULNA_FEATURES_COUNTS" in os.environ:
        lines = (f"python {feature} {quantity} {count}\n" for (feature, quantity), count in sorted(counts.items()))
        pathlib.Path(os.environ["ULNA_FEATURES_COUNTS"]).write_text("".join(lines))
    assert not faults, f"{len(faults)} robots disagree, the first: {faults[0]}"
