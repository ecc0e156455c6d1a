"""Wrenches, a base that moves, and the papers' formulations: against the program, Jacobians, and each other."""

from __future__ import annotations

import numpy as np
import pytest

import ulna

WRENCHES = [ulna.Wrench("hand", force=(1.5, -2, 3), moment=(0.2, 0.1, -0.4), axes="world"), ulna.Wrench("link4", moment=(0, 0.3, 0.1), force=[1, 0, -1])]
VELOCITY = (0.3, -0.2, 0.5, 1, 2, 3)
ACCELERATION = (0.4, 0.1, -0.6, 1, -2, 0.5)
LOADS = dict(wrenches=WRENCHES, base_velocity=VELOCITY, base_acceleration=ACCELERATION)


def texts(x) -> str:
    return ",".join(repr(float(y)) for y in x)


OPTIONS = [
    *("--wrench", "hand:1.5,-2,3,0.2,0.1,-0.4@world"),
    *("--wrench", "link4:1,0,-1,0,0.3,0.1@link"),
    *("--base-velocity", texts(VELOCITY)),
    *("--base-acceleration", texts(ACCELERATION)),
]


def state():
    dyn = ulna.Dynamics("panda")
    return (dyn, *(x[0] for x in dyn.robot.sample(1, seed=3)))


def test_against_the_program(cli) -> None:
    dyn, q, v, a = state()
    at = ["panda", "--q", texts(q), "--v", texts(v)]
    tau = dyn.inverse(q, v, a, **LOADS)
    np.testing.assert_allclose(tau, np.ravel(cli("inverse", *at, "--a", texts(a), *OPTIONS)["tau"]), rtol=0, atol=1e-12)
    np.testing.assert_allclose(dyn.bias(q, v, **LOADS), np.ravel(cli("bias", *at, *OPTIONS)["bias"]), rtol=0, atol=1e-12)
    np.testing.assert_allclose(dyn.forward(q, v, tau, **LOADS), a, rtol=0, atol=1e-9)
    energy = cli("energy", *at, "--base-velocity", texts(VELOCITY))
    np.testing.assert_allclose(dyn.energy(q, v, base_velocity=VELOCITY), [energy["kinetic"][0], energy["potential"][0]], rtol=1e-12)
    momentum = cli("momentum", *at, "--base-velocity", texts(VELOCITY))
    np.testing.assert_allclose(dyn.momentum(q, v, base_velocity=VELOCITY), [*momentum["angular"][0], *momentum["linear"][0]], rtol=1e-9, atol=1e-12)
    assert np.abs(tau - dyn.inverse(q, v, a)).max() > 1


def test_a_wrench_is_its_jacobian_times_itself() -> None:
    dyn, q, v, a = state()
    push = ulna.Wrench("hand", force=(3, -1, 2), moment=(0.5, 0.2, -0.3), axes="world")
    felt = dyn.inverse(q, v, a) - dyn.inverse(q, v, a, wrenches=[push])
    np.testing.assert_allclose(felt, dyn.jacobian(q, "hand").T @ [*push.moment, *push.force], atol=1e-12)


@pytest.mark.parametrize("row", ulna.formulations(), ids=lambda row: row["id"])
def test_every_formulation(row) -> None:
    """The same numbers as Dynamics where the row says that it takes the loads; a refusal with the reason and the names of others where not."""
    dyn, q, v, a = state()
    tau = dyn.inverse(q, v, a, **LOADS)
    given = {"torque": ("inverse", (q, v, a), tau), "bias": ("bias", (q, v), dyn.bias(q, v, **LOADS)), "acceleration": ("forward", (q, v, tau), a)}
    for quantity in row["quantities"]:
        if quantity not in given:
            continue
        name, inputs, expected = given[quantity]
        call = getattr(dyn, name)
        if row["id"] in ("kane-stanford", "albus"):  # of the Stanford arm; of arms whose table fits
            with pytest.raises(ValueError, match="does not take robot 'panda'"):
                call(*inputs, formulation=row["id"])
        elif row["loads"]["wrenches"] and row["loads"]["base_motion"]:
            np.testing.assert_allclose(call(*inputs, **LOADS, formulation=row["id"]), expected, rtol=0, atol=1e-11 * max(1, np.abs(expected).max()))
        else:
            with pytest.raises(ValueError, match="these do: ") as refused:
                call(*inputs, **LOADS, formulation=row["id"])
            assert row["loads"]["why_not"] in str(refused.value)
    if "mass" in row["quantities"]:
        np.testing.assert_allclose(dyn.mass(q, formulation=row["id"]), dyn.mass(q), atol=1e-12)
    if "gravity" in row["quantities"]:
        np.testing.assert_allclose(dyn.gravity(q, formulation=row["id"]), dyn.gravity(q), atol=1e-12)
        np.testing.assert_allclose(dyn.coriolis(q, v, formulation=row["id"]), dyn.coriolis(q, v), atol=1e-12)


def test_batches_and_single_precision() -> None:
    dyn, *_ = state()
    q, v, a = dyn.robot.sample(100, seed=5)
    tau = dyn.inverse(q, v, a, **LOADS)
    for k in (0, 57, 99):
        np.testing.assert_array_equal(tau[k], dyn.inverse(q[k], v[k], a[k], **LOADS))
    out = np.empty_like(tau)
    assert dyn.inverse(q, v, a, **LOADS, formulation="kane", out=out) is out
    np.testing.assert_allclose(out, tau, rtol=0, atol=1e-11)
    single = dyn.inverse(*(x.astype(np.float32) for x in (q, v, a)), **LOADS)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, tau, rtol=0, atol=1e-3)
    assert dyn.inverse(*(x.astype(np.float32) for x in (q, v, a)), formulation="kane").dtype == np.float64
    assert np.isnan(dyn.bias(q[0], v[0], base_acceleration=(np.nan, 0, 0, 0, 0, 0))).all()


def test_rotors_and_friction_are_those_of_the_object() -> None:
    q, v, a = (x[0] for x in ulna.load("scara").sample(1, seed=2))
    for rotor in (True, False):
        for friction in (True, False):
            dyn = ulna.Dynamics("scara", rotor=rotor, friction=friction)
            none = ulna.Wrench("flange")
            np.testing.assert_allclose(dyn.inverse(q, v, a, wrenches=[none]), dyn.inverse(q, v, a), atol=1e-12)
            np.testing.assert_allclose(dyn.inverse(q, v, a, formulation="newton-euler"), dyn.inverse(q, v, a), atol=1e-12)
    with pytest.raises(ValueError, match="always includes the rotors' inertia; leave rotors on"):
        ulna.Dynamics("scara", rotor=False).forward(q, v, a, formulation="nasser")


def test_what_is_refused() -> None:
    dyn, q, v, a = state()
    with pytest.raises(ValueError, match="did you mean 'hand'"):
        dyn.inverse(q, v, a, wrenches=[ulna.Wrench("hnd")])
    with pytest.raises(ValueError, match="base_velocity has 2 numbers, but must have 6"):
        dyn.inverse(q, v, a, base_velocity=(1, 2))
    with pytest.raises(ValueError, match="did you mean 'newton-euler'"):
        dyn.inverse(q, v, a, formulation="newton-eule")
    with pytest.raises(TypeError, match="must be a list"):
        dyn.inverse(q, v, a, wrenches=ulna.Wrench("hand"))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'link' or 'world'"):
        dyn.inverse(q, v, a, wrenches=[ulna.Wrench("hand", axes="hand")])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="3 each"):
        dyn.inverse(q, v, a, wrenches=[ulna.Wrench("hand", force=(1, 2))])


def test_verify_under_loads() -> None:
    result = ulna.verify("panda", samples=5, generated=False, **LOADS)
    assert result["agree"] and result["loaded"]
    compared = {row["id"] for row in result["formulations"] if row["applies"] and row["quantity"] in ("torque", "bias", "acceleration")}
    assert {"newton-euler", "hollerbach-3x3", "kane", "nasser", "strobing", "templates"} <= compared
    assert "lin" not in compared and "compiled-double" not in compared


@pytest.mark.parametrize("formulation", ["albus", "raibert", "horn-raibert"])
def test_tables_answer_between_their_nodes_when_that_is_accepted(formulation) -> None:
    """Two links, 6 kg at 0.5 m and 4 kg at 0.4 m behind 1 m: torques of some 100 N m. A grid of some nodes is off by a few of these, not by all."""
    dyn = ulna.Dynamics("planar-2r", threads=1)
    state = [0.3, 0.5], [0.2, -0.4], [1.0, 0.5]
    with pytest.raises(ValueError, match="between them; the nearest node is"):
        dyn.inverse(*state, formulation=formulation)
    right = dyn.inverse(*state)
    read = dyn.inverse(*state, formulation=formulation, accept_interpolation=True)
    assert 0 < np.abs(read - right).max() < 0.3 * np.abs(right).max()
    with pytest.raises(ValueError, match="computes them"):
        dyn.inverse(*state, formulation="newton-euler", accept_interpolation=True)
    with pytest.raises(ValueError, match="needs a formulation"):
        dyn.inverse(*state, accept_interpolation=True)
