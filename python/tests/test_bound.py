"""Calls of one state without a Python frame, and calls that are bound to their arrays: the same numbers and the same refusals as all others."""

from __future__ import annotations

import gc
import inspect
import weakref

import numpy as np
import pytest

import ulna

QUANTITIES = [
    *("inverse", "forward", "bias", "gravity", "mass", "mass_inverse", "coriolis", "regressor", "energy", "momentum", "centroidal", "centroidal_matrix"),
    *("inverse_derivatives", "forward_derivatives", "pose", "jacobian"),
]
INPUTS = {"forward": 3, "inverse": 3, "regressor": 3, "inverse_derivatives": 3, "forward_derivatives": 3, "bias": 2, "coriolis": 2, "energy": 2, "momentum": 2, "centroidal": 2}
_made: dict[tuple[str, str], ulna.Dynamics] = {}


def dynamics(name: str, base: str = "fixed") -> ulna.Dynamics:
    if (name, base) not in _made:
        _made[name, base] = ulna.Dynamics(ulna.load(name, base=base))
    return _made[name, base]


def call(dyn: ulna.Dynamics, quantity: str, states) -> np.ndarray:
    link = [dyn.robot.links[-1].name] if quantity in ("pose", "jacobian") else []
    result = getattr(dyn, quantity)(*states, *link)
    return result[0].base if isinstance(result, tuple) else result


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name, base", [("panda", "fixed"), ("torso", "fixed"), ("ur5", "free"), ("scara", "planar"), ("five-bar", "fixed")])
@pytest.mark.parametrize("quantity", QUANTITIES)
def test_bound_calls_give_what_methods_give(name: str, base: str, quantity: str, dtype) -> None:
    dyn = dynamics(name, base)
    sample = [x.astype(dtype) for x in dyn.robot.sample(9, seed=4)]
    given = sample[: INPUTS.get(quantity, 1)]
    link = dyn.robot.links[-1].name if quantity in ("pose", "jacobian") else None
    expected = call(dyn, quantity, given)
    many = np.empty_like(expected)
    assert dyn.bind(quantity, *given, many, link=link)() is many
    np.testing.assert_array_equal(many, expected)
    arrays = [x[0].copy() for x in given]
    one = np.empty_like(expected[0])
    step = dyn.bind(quantity, *arrays, one, link=link)
    for k in range(9):
        for array, states in zip(arrays, given):
            array[:] = states[k]
        assert step() is one
        np.testing.assert_array_equal(one, expected[k])
        np.testing.assert_array_equal(one, call(dyn, quantity, arrays))
    arrays[0][0] = np.nan
    if name != "five-bar":
        assert np.isnan(step()).any()


def test_methods_keep_their_signature_and_words() -> None:
    dyn = dynamics("panda")
    assert list(inspect.signature(dyn.inverse).parameters)[:3] == ["q", "v", "a"]
    assert "Torques" in (ulna.Dynamics.inverse.__doc__ or "") and ulna.Dynamics.inverse.__name__ == "inverse"
    assert ulna.Dynamics.__dict__["mass"] is ulna.Dynamics.mass and inspect.isroutine(ulna.Dynamics.mass)
    q, v, a = (x[0] for x in dyn.robot.sample(1))
    np.testing.assert_array_equal(dyn.inverse(a=a, q=q, v=v), dyn.inverse(q, v, a))
    np.testing.assert_array_equal(ulna.Dynamics.inverse(dyn, q, v, a, out=None), dyn.inverse(q, v, a))
    np.testing.assert_array_equal(dyn.inverse(list(q), v, a), dyn.inverse(q, v, a))
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'a'"):
        dyn.inverse(q, v)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'into'"):
        dyn.inverse(q, v, a, into=q)  # type: ignore[call-arg]


def test_out_of_one_state_that_does_not_fit() -> None:
    dyn = dynamics("panda")
    q, v, a = (x[0].copy() for x in dyn.robot.sample(1))
    locked = np.empty(7)
    locked.setflags(write=False)
    for out, kind, message in [
        (np.empty(6), ValueError, r"out has shape \(6,\), but the result has shape \(7,\)"),
        (np.empty(7, np.float32), TypeError, "out has dtype float32, but the result has dtype float64"),
        (np.empty(14)[::2], ValueError, "C-contiguous"),
        (locked, TypeError, "out is read-only"),
        (v, ValueError, "out shares memory with v"),
        ([0.0] * 7, TypeError, "out must be a NumPy array"),
    ]:
        with pytest.raises(kind, match=message):
            dyn.inverse(q, v, a, out=out)  # type: ignore[arg-type]
        with pytest.raises(kind, match=message):
            dyn.bind("inverse", q, v, a, out)  # type: ignore[arg-type]


def test_what_cannot_be_bound() -> None:
    dyn = dynamics("panda")
    q, v, a = (x[0].copy() for x in dyn.robot.sample(1))
    tau = np.empty(7)
    for arguments, kind, message in [
        (("invers", q, v, a, tau), ValueError, "did you mean 'inverse'"),
        (("inverse", q, v, a), TypeError, "inverse takes 3 arrays and one for the result, but 3 are given"),
        (("inverse", q, v[:6].copy(), a, tau), ValueError, r"v has shape \(6,\), but robot 'panda' takes \(7,\)"),
        (("inverse", q, v.astype(np.float32), a, tau), TypeError, "v has dtype float32, but q has dtype float64"),
        (("inverse", q, v.astype(int), a, tau), TypeError, "v has dtype int64, but must be float64 or float32"),
        (("inverse", q, list(v), a, tau), TypeError, "v must be a NumPy array"),
        (("inverse", q, np.empty(14)[::2], a, tau), ValueError, "v must be C-contiguous"),
        (("inverse", q, None, a, tau), TypeError, "v is None"),
        (("pose", q, np.empty((4, 4))), ValueError, "needs the name of a link"),
    ]:
        with pytest.raises(kind, match=message):
            dyn.bind(*arguments)
    with pytest.raises(ValueError, match="did you mean 'hand'"):
        dyn.bind("pose", q, np.empty((4, 4)), link="hnd")
    with pytest.raises(ValueError, match="takes no link"):
        dyn.bind("gravity", q, tau, link="hand")
    with pytest.raises(TypeError, match="takes no arguments"):
        dyn.bind("gravity", q, tau)(q)  # type: ignore[call-arg]


def test_a_quaternion_is_looked_at_in_every_call() -> None:
    dyn = dynamics("ur5", "free")
    q, v, a = (x[0].copy() for x in dyn.robot.sample(1))
    tau = np.empty(dyn.nv)
    step, unit = dyn.bind("inverse", q, v, a, tau), q.copy()
    q[3:7] *= 2
    for wrong in (step, lambda: dyn.inverse(q, v, a, out=tau)):
        with pytest.raises(ValueError, match="has length 2, not 1"):
            wrong()
    q[3:7] = unit[3:7] * (1 + 1e-9)
    with pytest.warns(UserWarning, match="was given unit length"):
        step()
    np.testing.assert_allclose(tau, dyn.inverse(unit, v, a), rtol=1e-12, atol=1e-12)
    q[3] = np.nan
    assert np.isnan(step()).all()


def test_a_bound_call_keeps_what_it_needs_and_no_more() -> None:
    dyn = ulna.Dynamics("panda")
    q, v, a = (x[0].copy() for x in dyn.robot.sample(1))
    expected = dyn.inverse(q, v, a)
    tau = np.empty(7)
    step = dyn.bind("inverse", q, v, a, tau)
    with pytest.raises(ValueError, match="cannot resize|resize"):
        q.resize(100)
    watched = weakref.ref(v)
    del dyn, q, v, a
    gc.collect()
    np.testing.assert_array_equal(step(), expected)
    assert watched() is not None and "inverse" in repr(step)
    del step
    gc.collect()
    assert watched() is None


@pytest.mark.parametrize("dtype, allowed", [(np.float64, 1e-11), (np.float32, 2e-4)])
@pytest.mark.parametrize("name, base", [("panda", "fixed"), ("torso", "fixed"), ("ur5", "free"), ("scara", "planar"), ("five-bar", "fixed"), ("general-RPRRP", "fixed")])
def test_wrenches_of_each_state_are_jacobians_times_wrenches(name: str, base: str, dtype, allowed: float) -> None:
    dyn = dynamics(name, base)
    q, v, a = (x.astype(dtype) for x in dyn.robot.sample(50, seed=2))
    links = [dyn.robot.links[-1].name, dyn.robot.links[len(dyn.robot.links) // 2].name]
    numbers = np.random.default_rng(3)
    W, same, world = numbers.normal(size=(50, 6)).astype(dtype), numbers.normal(size=6), numbers.normal(size=(50, 3))

    def felt(link: str, w: np.ndarray, in_link: bool) -> np.ndarray:
        double = dyn.robot.normalize(q.astype(float)) if base == "free" else q.astype(float)
        R = dyn.pose(double, link)[:, :3, :3] if in_link else np.broadcast_to(np.eye(3), (50, 3, 3))
        w = np.broadcast_to(w, (50, 6))
        spatial = np.hstack([np.einsum("kij,kj->ki", R, w[:, 3:]), np.einsum("kij,kj->ki", R, w[:, :3])])
        return np.einsum("kin,ki->kn", dyn.jacobian(double, link), spatial)

    both = felt(links[0], W, True) + felt(links[1], same, True)
    scale = np.abs(both).max() + np.abs(dyn.inverse(q, v, a)).max()
    tau = dyn.inverse(q, v, a, wrenches={links[0]: W, links[1]: same})
    assert tau.dtype == dtype
    np.testing.assert_allclose(tau, dyn.inverse(q, v, a) - both, rtol=0, atol=allowed * scale)
    np.testing.assert_allclose(dyn.bias(q, v, wrenches={links[0]: W}), dyn.bias(q, v) - felt(links[0], W, True), rtol=0, atol=allowed * scale)
    pushed = [ulna.Wrench(links[0], force=world, axes="world")]
    np.testing.assert_allclose(dyn.inverse(q, v, a, wrenches=pushed), dyn.inverse(q, v, a) - felt(links[0], np.hstack([world, 0 * world]), False), rtol=0, atol=allowed * scale)
    if dtype == np.float64:
        np.testing.assert_allclose(dyn.forward(q, v, tau, wrenches={links[0]: W, links[1]: same}), a, rtol=0, atol=1e-8)
    one = dyn.inverse(q[7], v[7], a[7], wrenches={links[0]: W[7], links[1]: same})
    np.testing.assert_array_equal(one, tau[7])
    for k in (0, 49):
        listed = [ulna.Wrench(links[0], W[k, :3], W[k, 3:]), ulna.Wrench(links[1], same[:3], same[3:])]
        np.testing.assert_allclose(dyn.inverse(q[k], v[k], a[k], wrenches=listed), tau[k], rtol=0, atol=allowed * scale)


def test_wrenches_that_do_not_fit() -> None:
    dyn = dynamics("panda")
    q, v, a = dyn.robot.sample(10)
    for wrenches, message in [
        ({"hand": np.zeros((9, 6))}, r"a wrench has shape \(9, 6\), but must have \(6,\) for all states or \(10, 6\)"),
        ({"hand": np.zeros(5)}, r"a wrench has shape \(5,\)"),
        ({"hnd": np.zeros(6)}, "did you mean 'hand'"),
        ([ulna.Wrench("hand", force=np.zeros((10, 2)))], r"\(10, 2\)"),
        ([ulna.Wrench("hand", force=np.zeros((10, 3)), moment=np.zeros((4, 3)))], r"force has the shape \(10, 3\), but moment has \(4, 3\)"),
    ]:
        with pytest.raises(ValueError, match=message):
            dyn.inverse(q, v, a, wrenches=wrenches)
    with pytest.raises(ValueError, match="cannot be combined"):
        dyn.inverse(q, v, a, wrenches={"hand": np.zeros(6)}, base_velocity=np.zeros(6))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a wrench has dtype complex128"):
        dyn.inverse(q, v, a, wrenches={"hand": np.zeros(6, complex)})
    W = np.zeros((10, 6))
    W[4, 2] = np.nan
    bad = np.isnan(dyn.inverse(q, v, a, wrenches={"hand": W}))
    assert bad[4].all() and not np.delete(bad, 4, axis=0).any()
